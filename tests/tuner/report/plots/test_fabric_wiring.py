# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from tests.tuner.report.plots.fabric_cases import generated, node, parsed, wiring
from tuner.documents.printable import printable


def test_links_are_sorted_by_what_they_join() -> None:
    document = generated("leaf-spine", leaves=2, spines=1, hosts_per_leaf=3, parallel=2)
    wires = wiring(document)
    leaf, spine = node(document, "S1-1"), node(document, "S2-1")
    assert set(wires.trunks) == {(leaf, spine), (node(document, "S1-2"), spine)}
    assert [(a.node, a.port, b.node) for a, b in wires.trunks[leaf, spine].links] == [(leaf, 4, spine), (leaf, 5, spine)]
    assert [(a.port, document.nodes[b.node].name) for a, b in wires.hosts[leaf]] == [(1, "H1"), (2, "H2"), (3, "H3")]
    assert (wires.most_hosts, wires.neighbours[spine]) == (3, [leaf, node(document, "S1-2")])
    assert len(list(wires.links())) == len(document.links)


def test_ends_come_switch_first_however_they_are_written() -> None:
    document = parsed(
        "name: n\nswitches: [{name: A, ports: 4}, {name: B, ports: 4}]\nhosts: [{name: H}, {name: R, kind: router}]\n"
        "links:\n- {a: B/1, b: A/1, rate: 4xHDR}\n- {a: H/1, b: A/2, rate: 4xHDR}\n- {a: B/2, b: R/1, rate: 4xHDR}\n"
    )
    wires = wiring(document)
    assert [(a.node, b.node) for a, b in wires.trunks[0, 1].links] == [(0, 1)]
    assert [(a.node, b.node) for a, b in wires.hosts[0]] == [(0, 2)]
    assert wires.undrawn == {"router": 1}
    assert all(wires.peer[wires.peer[end]] == end for end in wires.peer)


def test_what_cannot_be_written_is_an_escape() -> None:
    assert printable("a\x07b\uffffc\ud800d\n交") == r"a\u0007b\uffffc\ud800d\n交"
