# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests of who exchanges with whom in a transpose: against the owners of a block-cyclic matrix and of its transpose."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tuner.documents.patterns import bed
from tuner.documents.patterns.transpose_exchange import grid, transpose_partners
from tuner.errors import BadInputError

DOCUMENT = {"kind": "transpose-exchange", "name": "t", "message_bytes": 8192}


@given(st.integers(1, 400))
def test_the_grid_is_the_one_nearest_to_a_square(ranks: int) -> None:
    rows, columns = grid(ranks)
    assert rows * columns == ranks
    assert rows <= columns
    assert not any(ranks % p == 0 for p in range(rows + 1, math.isqrt(ranks) + 1))


@given(st.integers(2, 150))
def test_partners_are_the_owners_of_a_block_and_of_the_same_block_transposed(ranks: int) -> None:
    rows, columns = grid(ranks)
    blocks = math.lcm(rows, columns)  # the distribution repeats after so many
    owners: list[set[int]] = [set() for _ in range(ranks)]
    for i in range(blocks):
        for j in range(blocks):
            holder, wanted_by = i % rows * columns + j % columns, j % rows * columns + i % columns
            if holder != wanted_by:
                owners[holder].add(wanted_by)
    assert transpose_partners(ranks) == [sorted(partners) for partners in owners]


def test_pairs_of_a_square_grid_swap_rows_and_columns() -> None:
    partners = transpose_partners(16)
    assert sum(map(len, partners)) == 12  # the diagonal has nobody
    assert all(theirs == [i % 4 * 4 + i // 4] for i, theirs in enumerate(partners) if theirs)


@pytest.mark.parametrize("n", [4, 8, 16])
def test_all_pairs_exchange_at_once_and_wait_for_each_other(n: int) -> None:
    run = bed.run(bed.workload(DOCUMENT | {"hosts": [f"H{i + 1}" for i in range(n)]}), trace_packets=500_000)
    sent, delivered = run.packets(0), run.packets(1)
    begun = [sent["time_ns"][sent["flow"] == f][::4] for f in range(len(run.flows))]
    come = [delivered["time_ns"][delivered["flow"] == f][3::4] for f in range(len(run.flows))]
    assert max(times[0] for times in begun) < 20_000
    ends = {(flow.src, flow.dst): f for f, flow in enumerate(run.flows)}
    behind = 1 if n in (4, 16) else 2  # of several partners, one that is ahead may stand for another
    for (src, dst), f in ends.items():
        assert len(begun[f]) > 20
        for awaited in (come[f], come[ends[dst, src]]):
            later = begun[f][behind:]
            assert (later >= awaited[: len(later)]).all(), (src, dst)
    received = run.received_bytes
    assert all(abs(received[f] - received[ends[dst, src]]) <= 2 * 8192 for (src, dst), f in ends.items())


def test_a_transpose_needs_two() -> None:
    with pytest.raises(BadInputError, match="pattern 't' finds 1 host on this fabric; a transpose needs two"):
        bed.expanded(DOCUMENT | {"hosts": ["H1"]})
