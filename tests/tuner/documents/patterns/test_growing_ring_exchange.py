# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests of sizes, and of who waits for whom, in a ring exchange with growing messages."""

from itertools import pairwise
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tuner.documents.patterns import bed
from tuner.document_base.model import build_model
from tuner.documents.patterns.growing_ring_exchange import GrowingRingExchange
from tuner.errors import BadInputError

DOCUMENT = {"kind": "growing-ring-exchange", "name": "g", "hosts": ["H[1-4]"], "message_bytes": 8192, "growth": 8}
SLOW = {"name": "slow", "src": "H6", "dst": "H2", "role": "contributor"}


@given(smallest=st.integers(1, 1000), factor=st.integers(2, 100), growth=st.integers(2, 16))
def test_sizes_grow_by_the_factor_up_to_the_last(smallest: int, factor: int, growth: int) -> None:
    values = DOCUMENT | {"smallest_bytes": smallest, "message_bytes": smallest * factor, "growth": growth}
    sizes = build_model(GrowingRingExchange, values).sizes
    assert (sizes[0], sizes[-1]) == (smallest, smallest * factor)
    assert all(b == growth * a for a, b in pairwise(sizes[:-1]))
    assert sizes[-2] < sizes[-1] <= growth * sizes[-2]


def test_each_size_has_a_flow_to_both_neighbours() -> None:
    flows = {flow.name: (flow.src, flow.dst, flow.message_bytes) for flow in bed.expanded(DOCUMENT)}
    sizes = [1, 8, 64, 512, 4096, 8192]
    assert len(flows) == 4 * 2 * len(sizes)
    assert [flows[f"g-right-{k + 1}"] for k in range(6)] == [("H1", "H2", size) for size in sizes]
    assert [flows[f"g-left-{k + 7}"] for k in range(6)] == [("H2", "H1", size) for size in sizes]


def test_a_size_begins_when_both_neighbours_messages_of_the_size_before_have_arrived() -> None:
    run = bed.run(bed.workload(DOCUMENT, flows=(SLOW,), duration_s=0.005), trace_packets=500_000)
    sent, delivered = run.packets(0), run.packets(1)
    place = {flow.name: i for i, flow in enumerate(run.flows)}
    packets = {flow.name: ceil(flow.message_bytes / 2048) for flow in run.flows}
    n_sizes = 6

    def begun(name: str) -> list[float]:
        times: list[float] = sent["time_ns"][sent["flow"] == place[name]][:: packets[name]].tolist()
        return times

    def come(name: str) -> list[float]:
        times: list[float] = delivered["time_ns"][delivered["flow"] == place[name]][packets[name] - 1 :: packets[name]].tolist()
        return times

    compared = 0
    for member in range(4):
        for size in range(n_sizes):
            before, again = (size - 1) % n_sizes, int(size == 0)
            awaited = [
                come(f"g-right-{(member - 1) % 4 * n_sizes + before + 1}"),
                come(f"g-left-{(member + 1) % 4 * n_sizes + before + 1}"),
            ]
            for way in ("right", "left"):
                own = begun(f"g-{way}-{member * n_sizes + size + 1}")[again:]
                for times in awaited:
                    compared += len(own)
                    assert all(b >= c for b, c in zip(own, times, strict=False))
    assert compared > 1000


def test_a_ring_needs_two() -> None:
    with pytest.raises(BadInputError, match="pattern 'g' finds 1 host on this fabric; a ring needs two"):
        bed.expanded(DOCUMENT | {"hosts": ["H1"]})


def test_messages_that_cannot_grow_are_a_sentence() -> None:
    with pytest.raises(
        BadInputError, match="has smallest_bytes 8192 and message_bytes 8192; the smallest message must be smaller"
    ):
        bed.expanded(DOCUMENT | {"smallest_bytes": 8192})
