# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import numpy as np
import pytest

from tests.tuner.documents.patterns import bed
from tuner.errors import BadInputError

DOCUMENT = {"kind": "ping-pong", "name": "pp", "sources": ["H1", "H2"], "destinations": ["H3", "H4"], "message_bytes": 2048}


def test_a_pair_is_two_flows_that_wait_for_each_other() -> None:
    flows = bed.expanded(DOCUMENT)
    assert [(flow.name, flow.src, flow.dst) for flow in flows] == [
        ("pp-request-1", "H1", "H3"),
        ("pp-answer-1", "H3", "H1"),
        ("pp-request-2", "H2", "H4"),
        ("pp-answer-2", "H4", "H2"),
    ]
    loops = [flow.loop for flow in flows[:2]]
    assert [(loop.window, loop.grants) for loop in loops if loop] == [(1, ("pp-answer-1",)), (0, ("pp-request-1",))]


@pytest.mark.parametrize("size", [64, 2048, 10_000])
def test_exactly_one_message_is_on_the_way(size: int) -> None:
    run = bed.run(
        bed.workload(DOCUMENT | {"sources": ["H1"], "destinations": ["H3"], "message_bytes": size}), trace_packets=100_000
    )
    sent, delivered = run.packets(0), run.packets(1)
    packets = -(-size // 2048)
    rounds = len(delivered["flow"]) // packets
    assert rounds > 100
    firsts, lasts = sent["time_ns"][::packets], delivered["time_ns"][packets - 1 :: packets]
    assert np.array_equal(sent["flow"][::packets][:rounds], np.arange(rounds) % 2)  # in turn
    assert (firsts[1:rounds] >= lasts[: rounds - 1]).all()  # none before the one before is there


def test_thinking_comes_before_the_next_request() -> None:
    def per_round(think_us: float) -> float:
        pair = DOCUMENT | {"sources": ["H1"], "destinations": ["H3"], "think_us": think_us}
        starts = bed.run(bed.workload(pair), trace_packets=100_000).packets(0)
        return float(np.diff(starts["time_ns"][starts["flow"] == 0]).mean()) / 1e3

    assert per_round(7.0) == pytest.approx(per_round(0.0) + 7.0, abs=1e-3)


def test_nobody_plays_alone() -> None:
    with pytest.raises(BadInputError, match="pattern 'pp' finds no two hosts to pair on this fabric"):
        bed.expanded(DOCUMENT | {"sources": ["H3"], "destinations": ["H3"]})
