# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Finds the hosts of a fabric by what workloads call them: a unique node description, `guid:0x…` or `lid:N`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import ccsim
from ccsim.policy import PACKET_OVERHEAD_BYTES
from tuner.document_base.model import MOST_HOSTS, listed, unknown_name
from tuner.documents.fabric import End, FabricDocument, Host, HostPort
from tuner.documents.host_selector import selects
from tuner.errors import BadInputError

_GUID = re.compile(r"guid:0x([0-9a-fA-F]{1,16})")
_LID = re.compile(r"lid:([0-9]{1,5})")
_MAGIC = re.compile(r"[*?[]")


@dataclass(frozen=True)
class Endport:
    """A connected port of a channel adapter."""

    node: int
    """The node's number in the fabric document."""
    port: int
    name: str
    kind: str
    guids: tuple[int, ...]
    """The node's, and the port's where it has one of its own."""
    lid: int | None

    def describe(self) -> str:
        lid = "" if self.lid is None else f" (lid {self.lid})"
        return f"guid:0x{self.guids[-1]:016x}{lid}"


class HostDirectory:
    """All endports of a fabric. Immutable; implements `HostSelector` for patterns."""

    def __init__(self, document: FabricDocument) -> None:
        self._document = document
        self._links = {end: link for link, *ends in document.ends() for end in ends}
        self.endports: tuple[Endport, ...] = tuple(
            endport
            for i, host in enumerate(document.hosts, start=len(document.switches))
            for endport in _endports(i, host, document.guid_of(i))
            if End(endport.node, endport.port) in self._links
        )
        self._by_name: dict[str, list[Endport]] = {}
        self._by_guid: dict[int, list[Endport]] = {}
        self._by_lid: dict[int, list[Endport]] = {}
        for endport in self.endports:
            self._by_name.setdefault(endport.name, []).append(endport)
            for guid in endport.guids:
                self._by_guid.setdefault(guid, []).append(endport)
            if endport.lid is not None:
                self._by_lid.setdefault(endport.lid, []).append(endport)

    def find(self, reference: str) -> Endport:
        """The one host port that a reference names. Raises BadInputError with near names or all candidates."""
        matches = self._matches(reference)
        hosts = [endport for endport in matches if endport.kind == "host"]
        fabric = f"fabric '{self._document.name}'"
        if not hosts:
            kind = {"aggregation": "an aggregation node", "router": "a router"}[matches[0].kind]
            raise BadInputError(f"'{reference}' is {kind} of {fabric}, not a host; only hosts carry flows")
        if len(hosts) > 1:
            candidates = listed([endport.describe() for endport in hosts])
            raise BadInputError(f"host '{reference}' is ambiguous on {fabric}; it may be {candidates}")
        return hosts[0]

    def reference(self, endport: Endport) -> str:
        """Returns a reference by which an endport is found again: its description if that is unique, else its GUID or its LID."""
        if _is_unique(self._by_name[endport.name]) and not _is_special(endport.name):
            return endport.name
        if _is_unique(self._by_guid[endport.guids[-1]]):
            return f"guid:0x{endport.guids[-1]:016x}"
        return f"lid:{endport.lid}"

    def called(self, reference: str) -> str:
        """Returns what people call the host port of a reference: of a host with several ports, its description with the port's
        number. Returns a reference to none or to several as it is."""
        try:
            endport = self.find(reference)
        except BadInputError:
            return reference
        namesakes = self._by_name[endport.name]
        if len({other.node for other in namesakes}) > 1:
            return reference
        return endport.name if len(namesakes) == 1 else f"{endport.name}/{endport.port}"

    def select(self, selector: str) -> Sequence[str]:
        """See HostSelector. A selector that is a host's own name is that host, even if it holds `*`, `?` or `[`."""
        if selector in self._by_name or not _MAGIC.search(selector):
            return [self.reference(self.find(selector))]
        is_selected = selects(selector)
        matches = [endport for endport in self.endports if endport.kind == "host" and is_selected(endport.name)]
        if not matches:
            raise BadInputError(f"no host of fabric '{self._document.name}' has a description like '{selector}'")
        return [self.reference(endport) for endport in matches]

    def capacity_gbps(self, reference: str, message_bytes: int) -> float:
        """See HostSelector."""
        endport = self.find(reference)
        packets = -(-message_bytes // self._document.mtu_bytes)
        efficiency = message_bytes / (message_bytes + packets * PACKET_OVERHEAD_BYTES)
        link_gbps = ccsim.link_data_gbps(self._links[End(endport.node, endport.port)].rate) * efficiency
        limit_gbps = self._document.hosts[endport.node - len(self._document.switches)].inject_gbps
        return link_gbps if limit_gbps is None else min(limit_gbps, link_gbps)

    def _matches(self, reference: str) -> list[Endport]:
        if guid := _GUID.fullmatch(reference):
            matches = self._by_guid.get(int(guid[1], 16), [])
        elif lid := _LID.fullmatch(reference):
            matches = self._by_lid.get(int(lid[1]), [])
        else:
            matches = self._by_name.get(reference, [])
        if matches:
            return matches
        fabric = f"on fabric '{self._document.name}'"
        if any(switch.name == reference for switch in self._document.switches):
            raise BadInputError(f"'{reference}' is a switch {fabric}, not a host; only hosts carry flows")
        if any(host.name == reference for host in self._document.hosts):
            raise BadInputError(f"host '{reference}' has no link {fabric}")
        if _is_special(reference):
            raise BadInputError(f"no host has '{reference}' {fabric}")
        hosts = list(dict.fromkeys(endport.name for endport in self.endports if endport.kind == "host"))
        raise BadInputError(f"{unknown_name('host', reference, hosts, MOST_HOSTS)} ({fabric.removeprefix('on ')})")


def _is_unique(endports: list[Endport]) -> bool:
    return sum(endport.kind == "host" for endport in endports) == 1


def _is_special(reference: str) -> bool:
    return reference.startswith(("guid:", "lid:"))


def _endports(node: int, host: Host, guid: int) -> list[Endport]:
    described = {endport.port: endport for endport in host.endports}
    endports = []
    for port in range(1, host.ports + 1):
        own = described.get(port, HostPort(port=port, guid=host.port_guid, lid=host.lid))
        # Ports count on from their node, in the 64 bits that a GUID has; none is 0.
        port_guid = own.guid or (guid if host.ports == 1 else (guid + port) % (1 << 64) or guid)
        endports.append(Endport(node, port, host.name, host.kind, tuple(dict.fromkeys((guid, port_guid))), own.lid))
    return endports
