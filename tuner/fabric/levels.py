# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Distance of each switch of a fabric from the hosts."""

from tuner.documents.fabric import FabricDocument, Host


def levels_of_switches(document: FabricDocument) -> tuple[int | None, ...]:
    """Returns the level of each switch: 1 for one with hosts, 2 for those next to them, and so on; None where no host can be
    reached."""
    n_switches = len(document.switches)
    neighbours: list[set[int]] = [set() for _ in range(n_switches)]
    leaves = set()
    for _, *ends in document.ends():
        a, b = sorted(ends)
        if b.node < n_switches:
            neighbours[a.node].add(b.node)
            neighbours[b.node].add(a.node)
        elif a.node < n_switches and is_host(document, b.node):
            leaves.add(a.node)
    level_of: list[int | None] = [None] * n_switches
    frontier, level = sorted(leaves), 1
    while frontier:
        for switch in frontier:
            level_of[switch] = level
        frontier = sorted({peer for switch in frontier for peer in neighbours[switch] if level_of[peer] is None})
        level += 1
    return tuple(level_of)


def is_host(document: FabricDocument, node: int) -> bool:
    """True if a node, by its number in the document, is a host and not a switch, an aggregation node or a router."""
    found = document.nodes[node]
    return isinstance(found, Host) and found.kind == "host"
