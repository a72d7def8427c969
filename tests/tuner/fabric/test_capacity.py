# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Share of what links could carry: the bound holds for every routing, is reached on whole trees, and a low share warns."""

import random

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
from tuner.fabric.built_fabric import build
from tuner.fabric.capacity import LOW, ORDERS, Capacity, capacity, low_capacity
from tuner.fabric.rerouting import rerouted
from tuner.fabric.routing_advice import advise
from tuner.fabric.shapes.switch_graph import SwitchGraph
from tuner.fabric.topologies.base import generate


def carried(document: FabricDocument, *, orders: bool = False) -> Capacity:
    found = capacity(build(document), orders=orders)
    assert found is not None
    return found


FABRICS: list[FabricDocument] = [
    generate("k-ary-n-tree", k=3, n=3),
    generate("xgft", m=[4, 3, 8], w=[1, 2, 3]),
    generate("torus", dims=[5, 4], hosts_per_switch=2),
    generate("mesh", dims=[4, 4]),
    generate("dragonfly", a=4, p=1, h=2, groups=4),
    without(generate("k-ary-n-tree", k=4, n=3), links=[7, 50, 100], switches=[18]),
    dragonfly_plus(3, 2, 2, 2),
    fabric_of([(leaf, spine) for leaf in range(4) for spine in (4, 5)], [8, 8, 8, 8, 1, 1]),
    joined_trees(storage=1),
    uneven_tree(),
    unevenly_used(generate("dragonfly", a=4, p=1, h=2, groups=6), random.Random(3), off=0.2),
    unevenly_used(generate("torus", dims=[4, 3, 3]), random.Random(4), off=0.2),
]


@pytest.mark.parametrize("document", FABRICS, ids=lambda document: document.name)
def test_no_routing_carries_more_than_the_bound(document: FabricDocument) -> None:
    advice = advise(document)
    assert advice.best is not None
    shares = [one.loads.uniform_share for one in advice.engines if one.loads is not None and not one.loads.unreachable_pairs]
    assert len(shares) > 1
    assert max(shares) <= advice.best.share + 1e-9


@pytest.mark.parametrize(
    ("document", "share", "limit"),
    [
        (generate("k-ary-n-tree", k=3, n=3, routing="dmodk"), 1.0, "the links of hosts"),
        # 8 hosts by 2 links: each of these carries 4 hosts' rates to 24 of the 31 others.
        (generate("leaf-spine", leaves=4, spines=2, hosts_per_leaf=8, routing="dmodk"), 31 / (8 * 24 / 2), "2 links lead out of"),
    ],
    ids=["whole", "over-subscribed"],
)
def test_whole_trees_reach_the_bound(document: FabricDocument, share: float, limit: str) -> None:
    found = carried(document)
    assert found.best.share == pytest.approx(share)
    assert found.best.limit.startswith(limit)
    assert found.of_best == pytest.approx(1.0)
    assert found.told() is None


def test_parts_of_a_tree_bound_it_too() -> None:
    """Leaves are whole, and pods of 12 hosts have 6 links up: each carries two hosts' rates to 84 of the 95 others."""
    found = carried(generate("xgft", m=[4, 3, 8], w=[1, 4, 2], routing="dmodk"))
    assert found.best.share == pytest.approx(min(1.0, 8 * 95 / (12 * 84)))
    assert "switches around" in found.best.limit


@pytest.mark.parametrize("at_leaves", [False, True])
def test_few_cables_between_two_clusters_are_the_limit_and_no_fault_of_the_routing(at_leaves: bool) -> None:
    """36 hosts and 60 share two cables: each carries the rate of 36 hosts to 60 of the 95 others, over two."""
    document = joined_trees(spines=0 if at_leaves else 2)
    if at_leaves:
        links = SwitchGraph(document)
        pairs = [pair for pair in links.pairs for _ in range(links.links[pair[0]][pair[1]])]
        document = fabric_of([*pairs, (3, 11), (3, 11)], links.hosts)
    found = carried(disguised(document))
    assert found.best.share == pytest.approx(2 * 95 / (36 * 60))
    assert found.best.limit.startswith("2 links lead out of ")
    assert found.of_best > LOW
    assert found.told() is None


def test_less_than_half_is_a_warning_with_ways_out() -> None:
    """24 of 54 pairs: OpenSM's minhop does the same on such a tree."""
    found = carried(generate("k-ary-n-tree", k=3, n=3, routing="minhop"))
    assert found.share == pytest.approx(26 / 54)
    assert found.warning is not None
    assert "by routing minhop" in found.warning
    assert "carries 48% of what the links of hosts allow under uniform traffic, less than half of the 100%" in found.warning
    assert [("--for-opensm" in way, "--routes" in way) for way in found.ways_out] == [
        (True, False),
        (False, True),
        (False, False),
    ]
    told = low_capacity(build(generate("k-ary-n-tree", k=3, n=3, routing="minhop")))
    assert told is not None
    assert all(way in told for way in found.ways_out)


def test_random_orders_have_a_range_with_the_median_in_it() -> None:
    damaged = rerouted(disguised(without(generate("k-ary-n-tree", k=4, n=3), links=[7, 50, 100]), 5), "minhop")
    orders = carried(damaged, orders=True).orders
    assert orders is not None
    assert orders.low < orders.high
    assert orders.low <= orders.median <= orders.high
    assert carried(damaged, orders=True).orders == orders  # the seeds are fixed
    assert ORDERS == 9


def test_tables_have_no_other_orders() -> None:
    document = generate("k-ary-n-tree", k=2, n=2, routing="minhop")
    forwarding = {document.switches[0].name: {document.hosts[-1].name: 3}}
    assert carried(document.model_copy(update={"forwarding": forwarding}), orders=True).orders is None


def test_of_several_subnets_the_largest_counts() -> None:
    plane = [(leaf, spine) for leaf in (0, 1) for spine in (2, 3)]
    several = fabric_of([*plane, (4, 5)], [4, 4, 0, 0, 1, 1])
    assert carried(several).best.share == pytest.approx(carried(fabric_of(plane, [4, 4, 0, 0])).best.share)


def test_where_hosts_do_not_reach_each_other_nothing_is_said() -> None:
    assert capacity(build(fabric_of([(0, 1)], [1, 1]).model_copy(update={"routing": "tables"}))) is None
    assert capacity(build(fabric_of([], [1]))) is None
