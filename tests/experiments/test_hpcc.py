# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""HPCC's ping-pong and rings: what is computed from rounds, and the predictions of a quick look."""

import pytest

from experiments._common.runs import measure_one
from experiments.hpcc.bed import LARGE_BYTES, SMALL_BYTES, Network, ping_pong, ring, round_us, run
from experiments.hpcc.benchmark import Host, results
from experiments.hpcc.experiment import EXPERIMENT
from experiments.registry import Options

LINE_GBPS = 13.0
"""The rate at which H1 and H4 inject."""


def test_results_are_hpccs() -> None:
    host = Host(overhead_us=1.0, memory_us=1.0, memory_MBps=1000.0)
    times = {SMALL_BYTES: (8.0, 16.0, 2.0), LARGE_BYTES: (4000.0, 8000.0, 8000.0)}
    loops = ("pair", "all across", "half across")
    rounds = {(loop, size): us for size, row in times.items() for loop, us in zip(loops, row, strict=True)}
    found = results(rounds, host)
    assert found["latency_us.ping_pong_max"] == 4.0
    assert found["latency_us.ping_pong_avg"] == 3.0  # (4 * 1 + 8 * 4) / 12
    assert found["latency_us.natural_ring"] == 8.0
    assert found["latency_us.random_ring"] == pytest.approx(2.0)  # the cube root of 8 * 1 * 1
    assert found["bandwidth_MBps.ping_pong_across"] == 1000.0
    assert found["bandwidth_MBps.random_ring"] == pytest.approx(500.0)


@pytest.mark.long
def test_rounds_without_congestion_take_what_a_hand_computes() -> None:
    free, think = Network(contributors=()), 3.0
    large_us = LARGE_BYTES * 8 / LINE_GBPS / 1e3
    rounds = {
        name: round_us(measure_one(run(free, patterns, quick=True)))
        for name, patterns in {
            "pair": ping_pong(LARGE_BYTES, think),
            "half": ring(LARGE_BYTES, think, neighbours=1),
            "all": ring(LARGE_BYTES, think, neighbours=2),
        }.items()
    }
    # A ping-pong has one message on the way at a time; a host sends two, or four, in a ring's round.
    assert rounds["pair"] == pytest.approx(2 * large_us + think, rel=0.02)
    assert rounds["half"] == pytest.approx(2 * large_us + think, rel=0.02)
    assert rounds["all"] == pytest.approx(4 * large_us + think, rel=0.03)


@pytest.mark.long
def test_congestion_delays_small_messages_and_cc_gives_their_latency_back() -> None:
    networks = {"free": Network(contributors=()), "off": Network(), "on": Network(profile="gran-2010")}
    rounds = {
        name: round_us(measure_one(run(n, ring(SMALL_BYTES, 3.3, neighbours=2), quick=True))) for name, n in networks.items()
    }
    assert rounds["off"] > 5 * rounds["free"]
    assert rounds["on"] == pytest.approx(rounds["free"], rel=0.05)


@pytest.mark.slow
def test_a_quick_look_bears_out_what_it_predicts() -> None:
    found = EXPERIMENT.run(Options(quick=True, workers=1))
    assert found.holds, [claim for claim in found.claims if not claim.holds]
    assert sum(claim.known_to_fail for claim in found.claims) == sum(not claim.holds for claim in found.claims)
    data = found.data["results"]
    off, on, free = (data[name] for name in ("congestion, CC off", "congestion, CC on", "no congestion"))
    for row in free:
        assert on[row] == pytest.approx(free[row], rel=0.05), row
        assert max(off[row] / free[row], free[row] / off[row]) > 1.2, row
