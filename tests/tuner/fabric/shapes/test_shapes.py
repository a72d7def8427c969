# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Shapes are recognised by links alone: all topologies that ibcc generates, others, and all of them damaged."""

import random
from itertools import combinations

import pytest

from tests.tuner.fabric.strange_fabrics import (
    disguised,
    dragonfly_plus,
    fabric_of,
    joined_trees,
    uneven_tree,
    unevenly_used,
    without,
)
from tuner.documents.fabric import FabricDocument
from tuner.fabric.opensm_engines import ENGINES
from tuner.fabric.shapes.base import SHAPES, Recognized, recognize
from tuner.fabric.shapes.switch_graph import SwitchGraph
from tuner.fabric.topologies.base import TOPOLOGIES, generate, topology

KINDS = {
    "dragonfly": {"dragonfly", "full-mesh", "torus"},
    "fat-tree": {"fat-tree", "star"},
    "hypercube": {"hypercube", "full-mesh"},
    "k-ary-n-tree": {"fat-tree", "star"},
    "leaf-spine": {"fat-tree", "star"},
    "mesh": {"mesh", "hypercube", "full-mesh"},
    "torus": {"torus", "full-mesh", "hypercube"},
    "three-stage": {"fat-tree", "star"},
    "xgft": {"fat-tree", "star"},
    "dumbbell": {"full-mesh"},
}
"""Shapes that each kind can have; the smallest of a kind are often the same fabric as another's."""


def shape(document: FabricDocument) -> Recognized:
    return recognize(SwitchGraph(document))


EXAMPLES = [(kind, parameters) for kind in TOPOLOGIES.names() for parameters in TOPOLOGIES.get(kind).examples]


@pytest.mark.parametrize(("kind", "parameters"), EXAMPLES, ids=str)
def test_all_that_ibcc_generates_is_recognised_whatever_its_order_and_names(kind: str, parameters: dict[str, object]) -> None:
    document = topology(kind, parameters).fabric()
    found, in_disguise = shape(document), shape(disguised(document))
    assert found.kind in KINDS[kind]
    assert not found.missing or found.kind == "star"  # a spine above a single leaf
    assert in_disguise.kind == found.kind
    assert len(in_disguise.order) == len(found.order)


@pytest.mark.parametrize(
    ("kind", "parameters", "text"),
    [
        ("torus", {"dims": [4, 6]}, "torus of 4 x 6: 24 switches"),
        ("torus", {"dims": [5, 5, 5]}, "torus of 5 x 5 x 5: 125 switches"),
        ("torus", {"dims": [7]}, "ring of 7 switches"),
        ("mesh", {"dims": [5]}, "line of 5 switches"),
        ("hypercube", {"n": 4}, "hypercube of 4 dimensions: 16 switches, which is also a torus of 4 x 4"),
        ("dragonfly", {"a": 4, "p": 2, "h": 2}, "dragonfly: 9 groups of 4 switches, 36 together"),
        ("leaf-spine", {"leaves": 30, "spines": 4, "hosts_per_leaf": 2}, "two levels (leaf-spine): 30 leaves and 4 at the top"),
        ("k-ary-n-tree", {"k": 4, "n": 3}, "three levels: 16 leaves, 16 switches on level 2 and 16 at the top"),
    ],
)
def test_sizes_are_said(kind: str, parameters: dict[str, object], text: str) -> None:
    assert shape(disguised(generate(kind, **parameters))).text.endswith(text)


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        ("torus", {"dims": [4, 5]}),
        ("torus", {"dims": [5, 5, 5]}),
        ("hypercube", {"n": 5}),
        ("mesh", {"dims": [4, 4, 4]}),
        ("dragonfly", {"a": 4, "p": 2, "h": 2}),
        ("xgft", {"m": [4, 3, 6], "w": [1, 3, 4]}),
        ("k-ary-n-tree", {"k": 4, "n": 3}),
        ("leaf-spine", {"leaves": 12, "spines": 6, "hosts_per_leaf": 4}),
    ],
    ids=str,
)
@pytest.mark.parametrize("seed", range(3))
def test_a_missing_link_or_switch_is_said_and_the_shape_stays(kind: str, parameters: dict[str, object], seed: int) -> None:
    whole = generate(kind, **parameters)
    rng = random.Random(seed)
    graph = SwitchGraph(whole)
    for damaged in (
        without(whole, links=[rng.randrange(graph.num_links)]),
        without(whole, switches=[rng.randrange(1, len(graph.host_switches))]),
    ):
        found = shape(disguised(damaged, seed))
        assert found.kind == shape(whole).kind
        assert found.missing or len(damaged.switches) < len(whole.switches)  # the loss of a leaf shows in no other link count
    assert shape(without(whole, links=[rng.randrange(graph.num_links)])).missing


def test_a_missing_top_switch_or_middle_switch_of_a_tree_is_tolerated() -> None:
    whole = generate("k-ary-n-tree", k=4, n=3)
    for switch in (20, 40):  # of level 2, of level 3
        found = shape(without(whole, switches=[switch]))
        assert found.kind == "fat-tree"
        assert found.missing


def test_hosts_on_a_spine_and_a_link_between_leaves_are_odd_and_no_obstacle() -> None:
    leaves, spines = 10, 4
    links = [(leaf, leaves + spine) for leaf in range(leaves) for spine in range(spines)]
    found = shape(fabric_of([*links, (0, 1)], [8] * leaves + [2] + [0] * (spines - 1)))
    assert found.kind == "fat-tree"
    assert any(
        sentence.startswith("1 linked pair of switches is not on successive levels: 's0' and 's1'") for sentence in found.missing
    )
    assert any(sentence.startswith("2 host ports are not on a leaf but on 's10'") for sentence in found.missing)


def test_dragonfly_plus() -> None:
    whole = dragonfly_plus(5, 4, 4, 4)
    assert shape(disguised(whole)).text == "dragonfly+: 5 groups of 8 switches, 20 leaves and 20 spines"
    assert shape(without(whole, links=[3])).missing == ("1 leaf lacks a link to a spine",)
    assert shape(without(whole, switches=[4])).kind == "dragonfly-plus"
    assert shape(disguised(dragonfly_plus(2, 2, 3, 4))).kind == "dragonfly-plus"
    assert shape(disguised(dragonfly_plus(4, 12, 12, 8))).kind == "dragonfly-plus"  # few of its links join groups


@pytest.mark.parametrize("storage", [0, 1, 2])
def test_two_trees_whose_spines_are_joined_are_a_tree_with_odd_links(storage: int) -> None:
    found = shape(disguised(joined_trees(storage=storage)))
    assert found.text == "fat tree of two levels (leaf-spine): 10 leaves and 5 at the top"
    assert found.missing[0].startswith("2 linked pairs of switches are not on successive levels")
    assert any("host ports are not on a leaf" in sentence for sentence in found.missing) == (storage > 0)


def test_many_cables_between_the_spines_of_two_trees_make_no_dragonfly_plus() -> None:
    """Nor between trees of one size: a dragonfly+ has about as many links between its groups as inside them."""
    joined = shape(disguised(joined_trees(spines=2, each=2)))
    assert joined.kind == "joined-trees"
    assert joined.text == "two trees of two levels (leaf-spine) whose spines 12 links join: 10 leaves and 5 spines"
    assert joined.missing == ()
    assert shape(disguised(dragonfly_plus(2, 3, 2, 4))).kind == "joined-trees"


def test_pods_of_different_sizes_and_a_leaf_at_the_core_are_a_tree() -> None:
    found = shape(disguised(uneven_tree()))
    assert found.text == "fat tree of three levels: 10 leaves, 6 switches on level 2 and 4 at the top"
    assert any(sentence.startswith("4 host ports are not on a leaf") for sentence in found.missing)


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        ("torus", {"dims": [4, 5]}),
        ("torus", {"dims": [4, 3, 3]}),
        ("mesh", {"dims": [4, 4]}),
        ("hypercube", {"n": 4}),
        ("dragonfly", {"a": 4, "p": 2, "h": 2}),
    ],
    ids=str,
)
def test_switches_without_hosts_change_no_shape(kind: str, parameters: dict[str, object]) -> None:
    """Some racks are off or not yet there, and some hold much more than others."""
    whole = generate(kind, **parameters)
    for seed in range(10):
        found = shape(disguised(unevenly_used(whole, random.Random(seed), off=0.3), seed))
        assert found.kind == shape(whole).kind
        assert not found.missing


def test_a_star_parts_and_a_fabric_of_nothing() -> None:
    assert shape(fabric_of([], [3])).text == "star: 3 host ports on one switch"
    assert shape(fabric_of([(0, 1)], [3, 0])).missing == ("1 switch has no hosts",)
    apart = shape(fabric_of([(0, 1), (2, 3)], [1, 1, 1, 1]))
    assert (apart.kind, apart.text) == ("unknown", "2 parts that no link joins, with 2, 2 switches")
    assert shape(fabric_of([], [])).text == "no switch has hosts"


def test_chance_makes_no_shape() -> None:
    for seed in range(20):
        rng = random.Random(seed)
        links = rng.sample(list(combinations(range(30), 2)), 90)
        document = fabric_of([*links, *((i, i + 1) for i in range(29) if (i, i + 1) not in links)], [2] * 30)
        assert shape(document).kind == "unknown", seed


def test_names_are_cut_and_made_printable() -> None:
    whole = generate("leaf-spine", leaves=4, spines=4, hosts_per_leaf=4)
    names = ["\x1b[31m<b>" * 5, "s" * 64, "same", "same"]
    switches = [s.model_copy(update={"name": name}) for s, name in zip(whole.switches[:4], names, strict=True)]
    graph = SwitchGraph(whole.model_copy(update={"switches": (*switches, *whole.switches[4:]), "links": (), "hosts": ()}))
    assert graph.called(0) == "'" + r"\u001b[31m<b>" * 5 + "'"
    assert graph.called(1) == f"'{'s' * 40}…'"
    assert graph.called(2) == f"'same' (guid:0x{whole.guid_of(2):016x})"
    assert graph.some(range(5)).endswith("and 2 others")


def test_what_shapes_name_is_known() -> None:
    import ccsim

    for kind, parameters in EXAMPLES:
        found = shape(topology(kind, parameters).fabric())
        assert set(found.opensm) <= set(ENGINES)
        assert set(found.routings) <= set(ccsim.routing_names())
    assert {engine.routing for engine in ENGINES.values()} - {None} <= set(ccsim.routing_names())
    ranks = [one.rank for one in SHAPES]
    assert len(set(ranks)) == len(ranks)
