# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests of who waits for whom in a ring exchange, packet by packet."""

import numpy as np
import pytest

from tests.tuner.documents.patterns import bed
from tuner.errors import BadInputError

DOCUMENT = {"kind": "ring-exchange", "name": "r", "hosts": ["H[1-4]"], "message_bytes": 8192}
SLOW = {"name": "slow", "src": "H6", "dst": "H2", "role": "contributor"}
"""Half of what H2 could receive is taken, so its neighbours' messages to it are late."""


def test_neighbours_in_the_order_of_the_list() -> None:
    ends = {flow.name: (flow.src, flow.dst) for flow in bed.expanded(DOCUMENT | {"hosts": ["H3", "H1", "H2"]})}
    assert ends == {
        "r-right-1": ("H3", "H1"),
        "r-left-1": ("H3", "H2"),
        "r-right-2": ("H1", "H2"),
        "r-left-2": ("H1", "H3"),
        "r-right-3": ("H2", "H3"),
        "r-left-3": ("H2", "H1"),
    }


@pytest.mark.parametrize("n", [2, 3, 4, 7])
def test_a_host_waits_for_both_neighbours_and_with_a_barrier_for_all(n: int) -> None:
    """The message before the k-th has arrived from whomever one waits for, or, without a barrier, the one before that: of two
    neighbours, the one that is ahead may stand for the other once."""
    hosts = [f"H{i + 1}" for i in range(n)]
    for barrier in (False, True):
        document = DOCUMENT | {"hosts": hosts, "barrier": barrier}
        run = bed.run(bed.workload(document, flows=(SLOW,)), trace_packets=500_000)
        sent, delivered = run.packets(0), run.packets(1)
        begun = {i: sent["time_ns"][sent["flow"] == i][::4] for i in range(1, 2 * n + 1)}
        come = {i: delivered["time_ns"][delivered["flow"] == i][3::4] for i in range(1, 2 * n + 1)}
        for i in range(n):
            right, left = 1 + 2 * i, 2 + 2 * i
            waits_for = range(1, 2 * n + 1) if barrier else (1 + 2 * ((i - 1) % n), 2 + 2 * ((i + 1) % n))
            behind = 1 if barrier else 2
            for own in (right, left):
                assert len(begun[own]) > 20
                for other in waits_for:
                    arrived = come[other][: len(begun[own]) - behind]
                    assert (begun[own][behind : behind + len(arrived)] >= arrived).all(), (n, barrier, own, other)


def test_all_are_as_slow_as_the_slowest() -> None:
    received = bed.run(bed.workload(DOCUMENT, flows=(SLOW,), duration_s=0.005)).received_bytes[1:]
    alone = bed.run(bed.workload(DOCUMENT, duration_s=0.005)).received_bytes
    assert np.ptp(received) <= 3 * 8192
    assert max(received) < 0.8 * min(alone)


def test_a_ring_needs_two() -> None:
    with pytest.raises(BadInputError, match="pattern 'r' finds 1 host on this fabric; a ring needs two"):
        bed.expanded(DOCUMENT | {"hosts": ["H1"]})
