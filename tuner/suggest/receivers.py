# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The receivers of a fabric: how fast they are, how many of each kind there are, and at which of them a profile can work."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import ccsim
from ccsim.policy import PACKET_OVERHEAD_BYTES
from tuner.documents.fabric import End, FabricDocument
from tuner.documents.hosts import Endport
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.fabric.one_subnet import require_one
from tuner.suggest.path import Path

_REACTS = ("a10", "nvidia-dcqcn", "both")
"""Dialects of adapters that a suggested profile is set on, and that answer marks under it: algorithms of an adapter's firmware
(`nvidia-ppcc`) do what their maker keeps to himself."""
_MARKS = (*_REACTS, "nvidia-ppcc")
"""Dialects of switches that mark: those beside PPCC's adapters mark by NVIDIA's attributes."""


def paths(built: BuiltFabric) -> Mapping[Endport, Path]:
    """Returns the path to each host that has a link, from the fastest of the hosts that react by a CCT: its packets are the
    shortest, so it needs the longest table. Without one, from the fastest of those that a profile is set on, or else of all.
    Raises BadInputError if there are fewer than three hosts."""
    document = built.document
    rates = {end: link.rate for link, *ends in document.ends() for end in ends}
    carries = link_payloads(document)
    hosts = {endport: rates[End(endport.node, endport.port)] for endport in built.hosts.endports if endport.kind == "host"}
    if len(hosts) < 3:
        raise BadInputError(
            f"fabric '{document.name}' has {len(hosts)} hosts with a link; congestion needs three, of which two send to the third"
        )
    senders = controlled(document, hosts) or list(hosts)
    fastest_gbps = max(ccsim.link_data_gbps(rate) for rate in {hosts[endport] for endport in senders})
    with_table_gbps = max(ccsim.link_data_gbps(rate) for rate in {hosts[one] for one in _with_table(document, senders)})
    found = {}
    for endport in hosts:
        most = carries[End(endport.node, endport.port)]
        limit = document.receive_limit_gbps(endport.node - len(document.switches))
        found[endport] = Path(
            rate_gbps=with_table_gbps,
            mtu_bytes=document.mtu_bytes,
            receive_gbps=most if limit is None else min(limit, most),
            fastest_gbps=None if with_table_gbps == fastest_gbps else fastest_gbps,
        )
    return found


def _with_table(document: FabricDocument, senders: Sequence[Endport]) -> Sequence[Endport]:
    """Those whose adapters have annex A10's attributes and no others; if none has, those that have both kinds; else all."""
    devices = document.device_congestion_control()
    for dialect in ("a10", "both"):
        if found := [endport for endport in senders if devices[endport.node].dialect == dialect]:
            return found
    return senders


def controlled(document: FabricDocument, endports: Iterable[Endport]) -> list[Endport]:
    """Returns those of the hosts whose adapters a profile is set on: as senders they are held back, as receivers they answer
    marks."""
    devices = document.device_congestion_control()
    return [endport for endport in endports if devices[endport.node].dialect in _REACTS]


def notifying(document: FabricDocument, endports: Iterable[Endport]) -> list[Endport]:
    """Returns those of the hosts whose senders learn that they congest them: their switch marks, and their adapter answers marks.
    At others a profile does nothing."""
    devices = document.device_congestion_control()
    peers = {end: other for _, a, b in document.ends() for end, other in ((End(*a), b), (End(*b), a))}
    return [
        endport
        for endport in controlled(document, endports)
        if devices[peers[End(endport.node, endport.port)].node].dialect in _MARKS
    ]


def require_alike_subnets(document: FabricDocument, found: Mapping[Endport, Path]) -> None:
    """Raises BadInputError, which describes them, if a fabric has several subnets whose hosts are of different kinds: each has a
    subnet manager of its own, and values for the slowest receivers of one are wrong in another."""
    carries, told, devices = link_payloads(document), set(notifying(document, found)), document.device_congestion_control()
    of_subnet: dict[int, set[tuple[object, ...]]] = {}
    for endport, path in found.items():
        kind = carries[End(endport.node, endport.port)], path.receive_gbps, devices[endport.node].dialect, endport in told
        of_subnet.setdefault(document.subnets[endport.node, endport.port], set()).add(kind)
    if len({frozenset(some) for some in of_subnet.values()}) > 1:
        require_one(document)


def link_payloads(document: FabricDocument) -> Mapping[End, float]:
    """Returns the payload that each link carries in full packets, in Gb/s, by both of its ends."""
    share = document.mtu_bytes / (document.mtu_bytes + PACKET_OVERHEAD_BYTES)
    return {end: ccsim.link_data_gbps(link.rate) * share for link, *ends in document.ends() for end in ends}


def kinds(found: Mapping[Endport, Path]) -> list[tuple[Path, int]]:
    """Returns each kind of receiver with how many there are, the most frequent first, of equals the slower."""
    return sorted(Counter(found.values()).items(), key=lambda item: (-item[1], item[0].receive_gbps))
