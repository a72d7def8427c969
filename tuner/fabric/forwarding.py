# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Forwarding tables of a whole fabric as arrays, for questions about all routes at once.

Nodes are known by GUIDs, as LIDs may be others after a restart of the subnet manager. Of a port with several LIDs (LMC) the first
counts. Management's own LIDs, those of switches, are left out: no flow goes there.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tuner.documents.fabric import FabricDocument
from tuner.documents.hosts import HostDirectory
from tuner.documents.lft import NO_ROUTE, entries

PORTS = 255
"""Room for ports 0 to 254."""
NOTHING = -1
"""No switch, no destination."""

Ints: TypeAlias = npt.NDArray[np.int32]
Bytes: TypeAlias = npt.NDArray[np.uint8]
End: TypeAlias = tuple[int, int]
"""Node GUID and port."""


@dataclass(frozen=True)
class SwitchRow:
    """`sl2vl`: None, not known; 8 bytes for all pairs of ports, 4 bits an SL, or 8 for each pair by egress port from 1, then
    ingress port from 0."""

    guid: int
    name: str
    ports: int
    sl2vl: bytes | None = None


@dataclass(frozen=True)
class Destination:
    """A port of an adapter. `lid`, from 1; `is_host`: it can be the end of flows."""

    guid: int
    port: int
    name: str
    lid: int
    is_host: bool

    @property
    def end(self) -> End:
        return self.guid, self.port


@dataclass(frozen=True, eq=False)
class Forwarding:
    """`out[s, d]`: the port by which switch `s` sends what is for destination `d`; 255: none. `links`: pairs of ends, each once,
    adapters' links included. `engine`: the routing engine, if it is known; `sl_by_path`: it chooses the SL of each path."""

    switches: Sequence[SwitchRow]
    destinations: Sequence[Destination]
    links: frozenset[frozenset[End]]
    out: Bytes
    engine: str | None = None
    sl_by_path: bool = False

    @cached_property
    def _places(self) -> tuple[Ints, Ints, Ints, Ints]:
        switch_of = {switch.guid: i for i, switch in enumerate(self.switches)}
        destination_of = {one.end: i for i, one in enumerate(self.destinations)}
        peer = np.full((len(self.switches), PORTS), NOTHING, dtype=np.int32)
        attached = np.full_like(peer, NOTHING)
        at_switch = np.full(len(self.destinations), NOTHING, dtype=np.int32)
        peer_port = np.zeros_like(peer)
        for link in self.links:
            for (guid, port), (other, other_port) in ((ends := tuple(link)), ends[::-1]):
                if (s := switch_of.get(guid)) is None:
                    continue
                if (t := switch_of.get(other)) is not None:
                    peer[s, port], peer_port[s, port] = t, other_port
                elif (d := destination_of.get((other, other_port))) is not None:
                    attached[s, port], at_switch[d] = d, s
        return peer, peer_port, attached, at_switch

    @property
    def peer(self) -> Ints:
        """`peer[s, port]`: the switch at the other end; NOTHING if that is none."""
        return self._places[0]

    @property
    def peer_port(self) -> Ints:
        return self._places[1]

    @property
    def attached(self) -> Ints:
        """`attached[s, port]`: the destination there; NOTHING if there is none."""
        return self._places[2]

    @property
    def at_switch(self) -> Ints:
        """The switch of each destination."""
        return self._places[3]

    @cached_property
    def names(self) -> dict[int, str]:
        """Names of nodes by GUID."""
        return {one.guid: one.name for one in self.destinations} | {switch.guid: switch.name for switch in self.switches}

    @cached_property
    def is_host(self) -> npt.NDArray[np.bool_]:
        return np.array([one.is_host for one in self.destinations], dtype=bool)

    @cached_property
    def hosts_at(self) -> Ints:
        """Number of hosts of each switch."""
        at = self.at_switch[self.is_host & (self.at_switch != NOTHING)]
        return np.bincount(at, minlength=len(self.switches)).astype(np.int32)

    @cached_property
    def levels(self) -> Ints:
        """Level of each switch: 1 for one with hosts, 2 for those next to them, and so on; 0 where no host can be reached."""
        level = (self.hosts_at > 0).astype(np.int32)
        last, number = np.flatnonzero(level), 1
        while last.size:
            near = self.peer[last]
            near = np.unique(near[near != NOTHING])
            last, number = near[level[near] == 0], number + 1
            level[last] = number
        return level


def assemble(
    switches: Sequence[SwitchRow],
    destinations: Sequence[Destination],
    links: Iterable[frozenset[End]],
    lfts: Mapping[int, bytes],
    *,
    engine: str | None = None,
    sl_by_path: bool = False,
) -> Forwarding:
    """`lfts`: port by LID from 0, by switch GUID; a LID beyond a table's end has no route."""
    lids = np.array([one.lid for one in destinations], dtype=np.intp)
    out = np.full((len(switches), len(destinations)), NO_ROUTE, dtype=np.uint8)
    for s, switch in enumerate(switches):
        table = np.frombuffer(lfts.get(switch.guid, b""), dtype=np.uint8)
        inside = lids < table.size
        out[s, inside] = table[lids[inside]]
    return Forwarding(switches, destinations, frozenset(links), out, engine, sl_by_path)


def of_document(document: FabricDocument) -> Forwarding:
    """Returns the tables of a fabric document with `lfts`. Adapters' ports without a link or a LID are left out."""
    guid = [document.guid_of(i) for i in range(len(document.nodes))]
    index = {switch.name: i for i, switch in enumerate(document.switches)}
    index |= {f"guid:0x{guid[i]:016x}": i for i in range(len(document.switches))}
    lfts = {}
    for name, runs in document.lfts.items():
        table = bytearray([NO_ROUTE]) * (1 + max((first + len(ports) for first, ports in runs.items()), default=0))
        for lid, port in entries(runs):
            table[lid] = port
        lfts[guid[index[name]]] = bytes(table)
    return assemble(
        [SwitchRow(guid[i], switch.name, switch.ports) for i, switch in enumerate(document.switches)],
        [
            Destination(guid[endport.node], endport.port, endport.name, endport.lid, endport.kind == "host")
            for endport in HostDirectory(document).endports
            if endport.lid is not None
        ],
        (frozenset((guid[end.node], end.port) for end in ends) for _, *ends in document.ends()),
        lfts,
    )
