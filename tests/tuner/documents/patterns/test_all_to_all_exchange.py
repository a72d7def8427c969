# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests of who waits for whom in an all-to-all exchange, packet by packet."""

import numpy as np
import pytest

from tests.tuner.documents.patterns import bed
from tuner.errors import BadInputError

DOCUMENT = {"kind": "all-to-all-exchange", "name": "a", "message_bytes": 4096}
PACKETS = 2
"""Packets of a message."""
SLOW = {"name": "slow", "src": "H9", "dst": "H2", "role": "contributor"}


@pytest.mark.parametrize("n", [2, 3, 6])
def test_each_rank_sends_once_to_each_other_and_in_a_step_all_receive(n: int) -> None:
    flows = bed.expanded(DOCUMENT | {"hosts": [f"H{i + 1}" for i in range(n)]})
    ends = [(int(flow.src[1:]) - 1, int(flow.dst[1:]) - 1) for flow in flows]
    assert sorted(ends) == [(i, j) for i in range(n) for j in range(n) if i != j]
    for step in range(1, n):
        assert [dst for src, dst in ends[step - 1 :: n - 1]] == [(i + step) % n for i in range(n)]


@pytest.mark.parametrize("n", [2, 3, 5])
def test_a_step_begins_when_both_messages_of_the_step_before_have_arrived(n: int) -> None:
    document = DOCUMENT | {"hosts": [f"H{i + 1}" for i in range(n)]}
    run = bed.run(bed.workload(document, flows=(SLOW,)), trace_packets=500_000)
    sent, delivered = run.packets(0), run.packets(1)
    steps = n - 1
    count = n * steps
    begun = [sent["time_ns"][sent["flow"] == 1 + f][::PACKETS] for f in range(count)]
    come = [delivered["time_ns"][delivered["flow"] == 1 + f][PACKETS - 1 :: PACKETS] for f in range(count)]
    for i in range(n):
        for step in range(1, n):
            own = begun[i * steps + step - 1]
            assert len(own) > 3
            before = step - 1 if step > 1 else steps
            exchanges_back = 0 if step > 1 else 1
            for awaited in (come[i * steps + before - 1], come[(i - before) % n * steps + before - 1]):
                later = own[exchanges_back:]
                assert (later >= awaited[: len(later)]).all(), (i, step)


def test_it_computes_between_exchanges_only() -> None:
    document = DOCUMENT | {"hosts": ["H[1-4]"], "think_us": 50.0}
    run = bed.run(bed.workload(document), trace_packets=500_000)
    sent, delivered = run.packets(0), run.packets(1)
    first, second, last = ([rows["time_ns"][rows["flow"] == f] for rows in (sent, delivered)] for f in range(3))
    assert second[0][0] - first[1][PACKETS - 1] < 10_000
    assert first[0][PACKETS] - last[1][PACKETS - 1] >= 50_000


def test_all_are_as_slow_as_the_slowest() -> None:
    document = DOCUMENT | {"hosts": ["H[1-4]"]}
    received = bed.run(bed.workload(document, flows=(SLOW,), duration_s=0.005)).received_bytes[1:]
    alone = bed.run(bed.workload(document, duration_s=0.005)).received_bytes
    assert np.ptp(received) <= 2 * 4096
    assert max(received) < 0.9 * min(alone)


def test_an_exchange_needs_two() -> None:
    with pytest.raises(BadInputError, match="pattern 'a' finds 1 host on this fabric; an exchange needs two"):
        bed.expanded(DOCUMENT | {"hosts": ["H1"]})
