# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What ibroute and ibtracert print, and the way that a packet takes by forwarding tables."""

import re
from collections.abc import Mapping

from tuner.documents.fabric import End, FabricDocument

_ENTRY = re.compile(r"0x(?P<lid>[0-9a-f]{4}) (?P<port>[0-9]{3}) :")
_START = re.compile(r"From \S+ \{0x(?P<guid>[0-9a-f]+)\}")
_HOP = re.compile(r"\[(?P<out>[0-9]+)\] -> (?P<kind>\S+) port \{0x(?P<guid>[0-9a-f]+)\}\[(?P<into>[0-9]+)\]")

Hop = tuple[int, int]
"""A node, by its number in the document, and the port by which a packet leaves it."""


def entries(ibroute: str) -> dict[int, int]:
    """Port by LID of the table that ibroute has printed."""
    return {int(match["lid"], 16): int(match["port"]) for match in _ENTRY.finditer(ibroute)}


def traced(ibtracert: str, fabric: FabricDocument) -> list[Hop]:
    """The hops that ibtracert has printed."""
    by_guid = {fabric.guid_of(i): i for i, _ in enumerate(fabric.nodes)}
    start = _START.search(ibtracert)
    assert start is not None, ibtracert
    node = by_guid[int(start["guid"], 16)]
    peers = peers_of(fabric)
    hops = []
    for match in _HOP.finditer(ibtracert):
        hops.append((node, int(match["out"])))
        there = peers[End(node, int(match["out"]))]
        assert there.port == int(match["into"]), f"{match[0]} is not how the cable goes: it ends at port {there.port}"
        node = there.node
    return hops


def by_tables(fabric: FabricDocument, tables: Mapping[int, Mapping[int, int]], source: End, dlid: int) -> list[Hop]:
    """The hops of a packet to a LID; `tables`: of the switches by their number."""
    peers = peers_of(fabric)
    hops = [(source.node, source.port)]
    at = peers[source]
    while at.node < len(fabric.switches):
        assert len(hops) <= len(fabric.nodes), f"the route to LID {dlid} goes in a circle: {hops}"
        hops.append((at.node, tables[at.node][dlid]))
        at = peers[End(*hops[-1])]
    return hops


def peers_of(fabric: FabricDocument) -> dict[End, End]:
    return {end: other for _, a, b in fabric.ends() for end, other in ((a, b), (b, a))}
