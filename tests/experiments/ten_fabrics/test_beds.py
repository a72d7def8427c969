# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The ten fabrics and their traffic."""

from collections import Counter
from pathlib import Path

import pytest

import ccsim
from experiments.ten_fabrics.beds import BEDS, HOSTS_A_LEAF, mixed
from experiments.ten_fabrics.ground import OTHER_DEVICES, Bed, Ground
from experiments.ten_fabrics.traffic import Forest, Incast
from tuner.documents.expanded_flow import ExpandedFlow
from tuner.fabric.built_fabric import BuiltFabric
from tuner.suggest import suggest

SEED = 7


@pytest.fixture(scope="module", params=BEDS, ids=lambda bed: bed.name)
def ground(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ground:
    bed: Bed = request.param
    return Ground(bed, tmp_path_factory.mktemp(bed.name))


def trunks(built: BuiltFabric, source: str, target: str) -> set[tuple[int, int]]:
    """(switch, port) of the links between switches on the way."""
    return set(built.fabric.route(built.endport(source), built.endport(target))[1:-1])


def test_there_are_ten_and_three_are_of_200_gbps_or_more() -> None:
    names = [bed.name for bed in BEDS]
    assert len(set(names)) == 10
    assert {"torus", "dragonfly", "leaf-spine", "odd-names"} <= set(names)
    fast = [bed.name for bed in BEDS if min(ccsim.link_data_gbps(link.rate) for link in bed.fabric().links) >= 200]
    assert len(fast) == 3
    assert {min(bed.traffic.contributors for bed in BEDS), max(bed.traffic.contributors for bed in BEDS)} == {3, 100}


def test_a_fabric_has_at_most_128_hosts_and_no_credit_loop(ground: Ground) -> None:
    assert 3 <= ground.to_json()["hosts"] <= 128
    assert ground.built.fabric.credit_loop() is None


def test_victims_share_a_port_with_their_incast_and_not_its_destination(ground: Ground) -> None:
    traffic = ground.traffic
    if not isinstance(traffic, Incast):
        pytest.skip("its victims are those of a forest, which the next test looks at")
    drawn = traffic.draw(ground.built, seed=SEED, receive_gbps=ground.receiver.receive_gbps)
    parts: Counter[str] = Counter()
    for shape, placement in zip(traffic.shapes, drawn, strict=True):
        assert len(placement.contributors) == shape.contributors
        tree = set().union(*(trunks(ground.built, source, placement.destination) for source in placement.contributors))
        for source, target in placement.victims:
            assert target != placement.destination
            assert trunks(ground.built, source, target) & tree
        parts.update([placement.destination, *placement.contributors, *(host for pair in placement.victims for host in pair)])
    assert max(parts.values()) == 1


def test_nothing_random_goes_to_a_hotspot_of_the_forest(tmp_path: Path) -> None:
    (bed,) = (bed for bed in BEDS if isinstance(bed.traffic, Forest))
    ground = Ground(bed, tmp_path)
    flows = ground.workload(SEED).expanded(ground.built.hosts).flows
    fan_in = Counter(flow.dst for flow in flows if flow.role == "contributor")
    assert set(fan_in.values()) == {bed.traffic.contributors}
    victims = [flow for flow in flows if flow.role == "victim"]
    assert len(victims) == ground.to_json()["hosts"] - len(fan_in) * (1 + bed.traffic.c_nodes)  # type: ignore[attr-defined]
    drawn = [flow.destinations for flow in victims if isinstance(flow, ExpandedFlow) and flow.destinations is not None]
    assert len(drawn) == len(victims)
    assert not {host for destinations in drawn for host in destinations.hosts} & set(fan_in)


def test_the_suggestion_reads_the_fan_in_from_the_traffic(ground: Ground) -> None:
    suggestion = suggest(ground.built, workload=ground.workload(SEED))
    assert suggestion.made_for == ground.traffic.contributors
    assert suggestion.receive_gbps == pytest.approx(ground.receiver.receive_gbps)


def test_a_run_is_as_long_as_its_packets_and_notifications_take(ground: Ground) -> None:
    workload = ground.workload(SEED)
    start_s, stop_s = workload.expanded(ground.built.hosts).window()
    gap_s = ground.receiver.gap_ns(ground.traffic.contributors) * 1e-9
    assert start_s >= 2500 * gap_s
    assert stop_s - start_s >= 1600 * gap_s * 0.999
    for devices in OTHER_DEVICES:
        assert ground.workload(SEED, devices=devices).duration_s > 0.99 * workload.duration_s
    assert ground.workload(SEED, times=3).duration_s == pytest.approx(3 * workload.duration_s, rel=0.05)


def test_another_seed_draws_other_hosts(ground: Ground) -> None:
    first, again, other = (ground.workload(seed) for seed in (SEED, SEED, SEED + 1))
    assert first == again
    assert first != other


def test_hosts_of_the_mixed_fabric_are_fast_on_the_last_leaves() -> None:
    rates = Counter(link.rate for link in mixed().links if link.a.startswith("H") or link.b.startswith("H"))
    assert rates == {"4xHDR": 4 * HOSTS_A_LEAF, "4xNDR": 2 * HOSTS_A_LEAF}
