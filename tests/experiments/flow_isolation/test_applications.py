# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Ranks, senders and hot spots of flow_isolation's applications, and how their time is read."""

from typing import Any

import numpy as np
import pytest

from experiments.flow_isolation.applications import (
    APPLICATIONS,
    BEFF,
    CONFIGURATION,
    DURATION_S,
    MIXED,
    MPIFFT,
    NAME,
    NODES,
    ODD_AND_EVEN,
    PTRANS,
    READINGS,
    SCENARIOS,
    SIZES,
    Application,
    Placement,
    Progress,
    digits,
)
from tuner.documents.expanded_flow import ExpandedFlow
from tuner.fabric.built_fabric import build
from tuner.measuring.measurement import FlowRecord, Measurement

both_placements = pytest.mark.parametrize("placement", [MIXED, ODD_AND_EVEN], ids=lambda one: one.name)


def progress(
    application: Application, rounds_by_rank: list[float], interval_s: float = 1e-5, samples: int = 100, flows: int = 2
) -> Progress:
    """Returns what a run records of ranks that complete so many rounds, evenly over the run, in flows of unequal sizes."""
    sizes = SIZES[application.name]
    bytes_ = np.array([size for size in sizes for _ in range(flows)])
    rows = [np.full(samples, rounds * size * 8 / 1e9 / (samples * interval_s)) for rounds in rounds_by_rank for size in bytes_]
    records = [
        FlowRecord(name=f"{NAME}-{i + 1}", src=f"H{i // len(bytes_)}", dst="X", role="victim", start_s=0, stop_s=1, mean_gbps=0)
        for i in range(len(rows))
    ]
    hot = FlowRecord(name="hot-1", src="H0", dst="X", role="contributor", start_s=0, stop_s=1, mean_gbps=0)
    values: dict[str, Any] = {
        "backend": "simulated",
        "seed": 1,
        "interval_s": interval_s,
        "duration_s": samples * interval_s,
        "fabric": "f",
        "profile": "off",
        "flows": (hot, *records),
        "gbps": np.array([np.zeros(samples), *rows]),
        "counters": {},
        "metrics": None,
        "performance": type("Spent", (), {"cpu_s": 1.0})(),
    }
    return READINGS[application.name](Measurement(**values))


@both_placements
def test_half_of_the_nodes_are_ranks_and_nobody_has_two_parts(placement: Placement) -> None:
    ranks = placement.ranks
    assert len(ranks) == NODES // 2 == len(CONFIGURATION.fabric.hosts) // 2
    assert len(set(placement.hot_spots)) == 4
    assert placement.hot_spots[0] == 123
    for count, _ in SCENARIOS.values():
        senders = placement.senders(count)
        assert len(set(senders)) == count
        assert not set(senders) & {*ranks, *placement.hot_spots}
    assert [count / NODES for count, _ in SCENARIOS.values()] == [0, 0.125, 0.25]


def test_mixed_ranks_are_two_of_each_leaf_and_hot_spots_share_their_low_digits() -> None:
    assert {sum(rank // 4 == leaf for rank in MIXED.ranks) for leaf in range(NODES // 4)} == {2}
    assert {tuple(digits(node)[:2]) for node in MIXED.hot_spots} == {(3, 2)}


def links(placement: Placement) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """(switch, output port) that messages between ranks, and those to hot spots, go through."""
    built = build(CONFIGURATION.fabric)
    ranks = [built.endport(f"H{node + 1}") for node in placement.ranks]
    between = {hop for src in ranks for dst in ranks[::3] if src != dst for hop in built.fabric.route(src, dst)[1:]}
    to_hot_spots = {
        hop
        for i, node in enumerate(placement.senders(64))
        for hop in built.fabric.route(built.endport(f"H{node + 1}"), built.endport(f"H{placement.hot_spots[i % 4] + 1}"))[1:]
    }
    return between, to_hot_spots


def test_even_ranks_share_no_link_with_traffic_to_odd_nodes() -> None:
    between, to_hot_spots = links(ODD_AND_EVEN)
    assert not between & to_hot_spots


def test_mixed_ranks_share_links_with_the_trees() -> None:
    between, to_hot_spots = links(MIXED)
    assert len(between & to_hot_spots) > 0.3 * len(to_hot_spots)


@pytest.mark.parametrize("application", APPLICATIONS, ids=lambda one: one.name)
def test_its_workload_is_its_pattern_beside_hot_spots(application: Application) -> None:
    for scenario, (count, hot_spots) in SCENARIOS.items():
        work = application.workload(scenario, "f", MIXED)
        assert len(work.flows) == count
        assert len({flow.dst for flow in work.flows}) == hot_spots
        assert work.duration_s == DURATION_S
    flows = [flow for flow in work.expanded(build(CONFIGURATION.fabric).hosts).flows if isinstance(flow, ExpandedFlow)]
    assert {flow.src for flow in flows if flow.loop is not None} <= {f"H{node + 1}" for node in MIXED.ranks}
    # A mean over the sizes is a rank's round only if it sends equally many messages of each.
    sizes = [flow.message_bytes for flow in flows if flow.src == flows[-1].src]
    assert sorted(set(sizes)) == sorted(SIZES[application.name])
    assert len({sizes.count(size) for size in sizes}) == 1


@pytest.mark.parametrize("application", [BEFF, PTRANS, MPIFFT], ids=lambda one: one.name)
def test_time_is_that_of_the_slowest_rank(application: Application) -> None:
    rounds = application.rounds
    found = progress(application, [2.0 * rounds, 4.0 * rounds, 3.0 * rounds])
    assert found.whole
    assert found.done_ms == pytest.approx(0.5)
    assert progress(application, [rounds, 4.0 * rounds]).done_ms == pytest.approx(1.0)


def test_missing_rounds_are_extrapolated() -> None:
    found = progress(PTRANS, [PTRANS.rounds / 4, PTRANS.rounds])
    assert not found.whole
    assert found.done_ms == pytest.approx(4.0)
