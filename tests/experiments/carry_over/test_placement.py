# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Incasts and victims drawn by the routes of a fabric."""

from collections import Counter, defaultdict
from dataclasses import replace

import pytest

from experiments.carry_over.placement import Placement, Places, Shape, payload_gbps
from tuner.documents.fabric import load_fabric
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.fabric.topologies.base import generate
from tuner.placement.room import HEADROOM

RECEIVE_GBPS, VICTIM_GBPS = 13.6, 1.0
SHAPE = Shape(leaves=4, contributors_a_leaf=3, victims_a_leaf=2, local=1)


@pytest.fixture(scope="module", params=["tree", "torus"])
def built(request: pytest.FixtureRequest) -> BuiltFabric:
    if request.param == "tree":
        return build(generate("three-stage", radix=16, host_rate="4xDDR", mtu_bytes=2048))
    return build(generate("torus", dims=(4, 4), hosts_per_switch=6, host_rate="4xDDR", mtu_bytes=2048))


def drawn(built: BuiltFabric, seed: int) -> Placement:
    return Places(built, SHAPE, receive_gbps=RECEIVE_GBPS, victim_gbps=VICTIM_GBPS).draw(seed)


def trunks(built: BuiltFabric, source: str, target: str) -> list[tuple[int, int]]:
    return built.fabric.route(built.endport(source), built.endport(target))[1:-1]


def leaf(built: BuiltFabric, host: str) -> int:
    endport = built.hosts.find(host)
    peer = built.fabric.peer(endport.node, endport.port)
    assert peer is not None
    return peer[0]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_host_has_one_part_and_leaves_have_their_numbers(built: BuiltFabric, seed: int) -> None:
    placement = drawn(built, seed)
    hosts = [placement.destination, *placement.contributors, *(host for pair in placement.victims for host in pair)]
    assert len(set(hosts)) == len(hosts) == 1 + 13 + 2 * 8
    home = leaf(built, placement.destination)
    assert sorted(Counter(leaf(built, host) for host in placement.contributors).values()) == [1, 3, 3, 3, 3]
    assert Counter(leaf(built, host) for host in placement.contributors)[home] == 1
    assert set(Counter(leaf(built, source) for source, _ in placement.victims).values()) == {2}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_victims_share_trunks_with_contributors_and_only_the_tree_holds_them_back(built: BuiltFabric, seed: int) -> None:
    placement = drawn(built, seed)
    load: dict[tuple[int, int], float] = defaultdict(float)
    for source in placement.contributors:
        for hop in trunks(built, source, placement.destination):
            load[hop] += RECEIVE_GBPS / SHAPE.contributors
    shared = set(load)
    for source, target in placement.victims:
        hops = trunks(built, source, target)
        assert shared & set(hops)
        for hop in hops:
            load[hop] += VICTIM_GBPS
    assert max(load.values()) <= HEADROOM * payload_gbps("4xDDR", 2048)


def test_the_seed_decides(built: BuiltFabric) -> None:
    assert drawn(built, 5) == drawn(built, 5)
    assert len({drawn(built, seed).destination for seed in range(8)}) > 1


def test_another_incast_beside_has_other_hosts_and_leaves_room_for_both(built: BuiltFabric) -> None:
    places = Places(built, SHAPE, receive_gbps=RECEIVE_GBPS, victim_gbps=VICTIM_GBPS)
    first = places.draw(1)
    taken = [first.destination, *first.contributors, *(host for pair in first.victims for host in pair)]
    carried = places.load(first)
    second = places.draw(1, taken=taken, carried=carried)
    assert not {second.destination, *second.contributors, *(host for pair in second.victims for host in pair)} & set(taken)
    by_victims = {hop for source, target in second.victims for hop in trunks(built, source, target)}
    both = {hop: carried.get(hop, 0.0) + gbps for hop, gbps in places.load(second).items()}
    assert max(both[hop] for hop in by_victims) <= HEADROOM * payload_gbps("4xDDR", 2048)


def test_the_destination_is_on_a_switch_that_is_named(built: BuiltFabric) -> None:
    home = built.fabric.node_name(leaf(built, drawn(built, 3).destination))
    places = Places(built, replace(SHAPE, homes=(home,)), receive_gbps=RECEIVE_GBPS, victim_gbps=VICTIM_GBPS)
    assert {built.fabric.node_name(leaf(built, places.draw(seed).destination)) for seed in range(6)} == {home}


def test_a_fabric_without_room_is_refused_with_what_would_be_needed() -> None:
    places = Places(build(load_fabric("two-switch")), SHAPE, receive_gbps=13.3, victim_gbps=1.0)
    with pytest.raises(
        BadInputError, match="'two-switch' has no place for an incast of 13 with victims: it needs 4 switches with 5"
    ):
        places.draw(1)


def test_payload_is_what_headers_leave() -> None:
    assert payload_gbps("4xNDR", 4096) == pytest.approx(400 * 4096 / 4122)
