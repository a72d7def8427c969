# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Switches that were replaced: another one has their cables now."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date

from tuner.checks.links.ports import Link, LinkKey, Port, PortKey, link_key
from tuner.checks.links.state_findings import GoneLink, node_of
from tuner.checks.observation import Finding


def replaced_switches(
    lost: Sequence[GoneLink], links: Sequence[Link], before: Collection[LinkKey], ports: Mapping[PortKey, Port], tonight: date
) -> Iterator[tuple[Finding, tuple[GoneLink, ...]]]:
    """Yields a finding for each switch that is not on the fabric any more while one switch that was not there before has most of
    its cables, and the links that are gone by that. It fails in its first night, and is a warning in the next one: a repair, that
    nobody undoes. `links`: tonight's. `before`: those that there were."""
    peers = {end.key: peer for link in links if link.key not in before for end, peer in link.ends}
    successors = _successors(lost, peers, before, ports)
    now = {link.key for link in links}
    for guid, new in successors.items():
        mine = [one for one in lost if guid in _guids(one)]
        there = [one for one in mine if _is_there(one, guid, successors, peers, now)]
        name = node_of(next(name for one in mine for (node, _), name in zip(one.key, one.names, strict=True) if node == guid))
        description = next(port.description for port in ports.values() if port.guid == new)
        renamed = "" if description == name else f", '{description}'"
        yield (
            Finding(
                code="node-replaced",
                sentence=f"switch {name} was replaced by another one{renamed}: {len(there)} of its {len(mine)} links are there",
                place=name,
                evidence=f"{guid} is not on the fabric, and {new} has its cables",
                next_step=f"iblinkinfo --line -G {new}",
                severity="fail" if all(one.since == tonight for one in there) else "warn",
                nodes=(name, description),
            ),
            tuple(there),
        )


def _successors(
    lost: Sequence[GoneLink], peers: Mapping[PortKey, Port], before: Collection[LinkKey], ports: Mapping[PortKey, Port]
) -> dict[str, str]:
    """By the GUIDs of switches that are no more, the GUID of the new one that most of their cables lead to."""
    present, known = {guid for guid, _ in ports}, {guid for key in before for guid, _ in key}
    found: dict[str, str] = {}
    for guid in dict.fromkeys(guid for one in lost for guid in _guids(one) if guid not in present and guid != one.host):
        mine = [one for one in lost if guid in _guids(one)]
        ends = [peers[end] for one in mine for end in one.key if end in peers]
        counted = Counter(port.guid for port in ends if port.is_switch and port.guid not in known)
        for new, count in counted.most_common(1):
            if 2 * count > len(mine):
                found[guid] = new
    return found


def _is_there(
    one: GoneLink, guid: str, successors: Mapping[str, str], peers: Mapping[PortKey, Port], now: Collection[LinkKey]
) -> bool:
    """True if the link's other end leads to the new switch now, or the new switches of both ends are joined in its place."""
    a, b = ((successors.get(node, node), port) for node, port in one.key)
    return link_key(a, b) in now or any(end in peers and peers[end].guid == successors[guid] for end in one.key)


def _guids(one: GoneLink) -> tuple[str, str]:
    return one.key[0][0], one.key[1][0]
