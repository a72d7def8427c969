# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What every kind of topology promises. `test_conformance.py` holds each registered kind to all of it, without being asked.

The checks read the document's text, or ask the simulator's fabric; none looks at the code that laid the fabric out.
"""

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from itertools import permutations

from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.fabric.built_fabric import build
from tuner.fabric.topologies.base import MAX_PORTS, Topology


def check_counts(made: Topology, fabric: FabricDocument) -> None:
    """There are as many hosts, switches and links as the kind's formulas say, and no more ports than it says."""
    expected = made.expected()
    assert len(fabric.hosts) == expected.hosts
    assert len(fabric.switches) == expected.switches
    assert len(fabric.links) == expected.links
    assert max(switch.ports for switch in fabric.switches) == made.switch_ports() <= MAX_PORTS


def check_names(made: Topology, fabric: FabricDocument) -> None:
    """Names are unique; hosts are H1, H2, …, so that one workload fits every kind; none needs quotes in YAML."""
    names = [node.name for node in fabric.nodes]
    assert len(set(names)) == len(names)
    assert [host.name for host in fabric.hosts] == [f"H{i + 1}" for i in range(len(fabric.hosts))]
    assert all(re.fullmatch("[A-Za-z][A-Za-z0-9-]*", name) for name in names)


def check_links(made: Topology, fabric: FabricDocument) -> None:
    """No port has two links, every port that has one exists, and each link runs at the rate of its sort."""
    ports = {node.name: node.ports for node in fabric.nodes}
    hosts = {host.name for host in fabric.hosts}
    used = Counter(end for link in fabric.links for end in (link.a, link.b))
    assert set(used.values()) == {1}
    assert Counter(node for node, _ in map(_node_and_port, used) if node in hosts) == Counter(hosts)
    for link in fabric.links:
        (a, port_a), (b, port_b) = _node_and_port(link.a), _node_and_port(link.b)
        assert a != b
        assert 1 <= port_a <= ports[a]
        assert 1 <= port_b <= ports[b]
        to_host = bool({a, b} & hosts)
        assert link.rate == (made.host_rate if to_host else made.switch_rate or made.host_rate)
        assert link.propagation_ns == (made.host_propagation_ns if to_host else made.switch_propagation_ns)
        assert link.length_m == (made.host_length_m if to_host else made.switch_length_m)
    assert {(host.inject_gbps, host.receive_gbps) for host in fabric.hosts} == {(made.inject_gbps, made.receive_gbps)}


def check_diameter(made: Topology, fabric: FabricDocument) -> None:
    """The longest of the shortest ways between hosts has as many links between switches as the kind's formula says."""
    neighbours: dict[str, set[str]] = defaultdict(set)
    for link in fabric.links:
        a, b = _node_and_port(link.a)[0], _node_and_port(link.b)[0]
        neighbours[a].add(b)
        neighbours[b].add(a)
    hosts = {host.name for host in fabric.hosts}
    leaves = {next(iter(neighbours[host])) for host in hosts}
    longest = 0
    for leaf in leaves:
        distances = _distances(leaf, neighbours, within=set(neighbours) - hosts)
        assert leaves <= set(distances)
        longest = max(longest, *(distances[other] for other in leaves))
    if (diameter := made.diameter()) is not None:
        assert longest == diameter


def check_routes(made: Topology, fabric: FabricDocument) -> None:
    """Under the kind's own routing each host reaches each other, over every switch at most once."""
    built = build(fabric)
    assert set(fabric.subnets.values()) == {1}
    assert built.unreachable() == []
    endports = [built.endport(host.name) for host in fabric.hosts]
    for src, dst in permutations(endports, 2):
        visited = [node for node, _ in built.fabric.route(src, dst)]
        assert len(set(visited)) == len(visited)


def check_credit_loops(made: Topology, fabric: FabricDocument) -> None:
    """Under the kind's own routing no buffers wait for each other in a circle."""
    built = build(fabric).fabric
    loop = [f"{built.node_name(node)}/{port} on VL {vl}" for node, port, vl in built.credit_loop() or []]
    assert loop == [], " waits for ".join(loop)


def check_round_trip(made: Topology, fabric: FabricDocument) -> None:
    """The document's text reads back as the same document."""
    text = fabric_text(fabric, [*made.notes()])
    assert validate(FabricDocument, parse_document(text, source="text")) == fabric


def check_repeatable(made: Topology, fabric: FabricDocument) -> None:
    """Equal parameters give equal documents."""
    again = type(made).model_validate(made.model_dump(exclude_unset=True))
    assert again == made
    assert fabric_text(again.fabric()) == fabric_text(fabric)


CHECKS = (
    check_counts,
    check_names,
    check_links,
    check_diameter,
    check_routes,
    check_credit_loops,
    check_round_trip,
    check_repeatable,
)


def own_parameters_without_words(kind: type[Topology]) -> Iterator[str]:
    """Parameters that `ibcc fabric generate KIND --help` could not explain."""
    properties = kind.model_json_schema()["properties"]
    yield from (name for name in kind.own_parameters() if not properties[name].get("description"))


def _node_and_port(end: str) -> tuple[str, int]:
    node, _, port = end.rpartition("/")
    return node, int(port)


def _distances(start: str, neighbours: dict[str, set[str]], within: set[str]) -> dict[str, int]:
    """Links from `start` to every node of `within` that it can reach through such nodes."""
    distances, queue = {start: 0}, deque([start])
    while queue:
        node = queue.popleft()
        for near in (neighbours[node] & within) - set(distances):
            distances[near] = distances[node] + 1
            queue.append(near)
    return distances
