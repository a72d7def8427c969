# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from collections import Counter
from typing import Any

import pytest

from tests.tuner.documents.patterns import bed
from tuner.errors import BadInputError


def partners(**changes: Any) -> dict[int, int]:
    """The destination of each host that sends, by their numbers from 0."""
    flows = bed.expanded({"kind": "permutation", "name": "p", **changes})
    return {int(flow.src[1:]) - 1: int(flow.dst[1:]) - 1 for flow in flows}


@pytest.mark.parametrize("seed", range(20))
def test_at_random_everyone_sends_to_another_and_receives_from_one(seed: int) -> None:
    drawn = partners(seed=seed)
    assert sorted(drawn) == sorted(drawn.values()) == list(range(16))
    assert all(i != j for i, j in drawn.items())


def test_all_permutations_without_a_fixed_point_are_equally_likely() -> None:
    counts = Counter(tuple(partners(seed=seed, hosts=["H[1-4]"]).values()) for seed in range(900))
    assert len(counts) == 9
    assert min(counts.values()) > 70


def test_shift_goes_round() -> None:
    assert partners(order="shift", shift_by=3, hosts=["H[1-5]"]) == {0: 3, 1: 4, 2: 0, 3: 1, 4: 2}


def test_bit_complement_turns_every_bit() -> None:
    assert all(i ^ j == 0b1111 for i, j in partners(order="bit-complement").items())


def test_transpose_swaps_rows_and_columns() -> None:
    swapped = partners(order="transpose")
    assert len(swapped) == 12  # the diagonal sends nothing
    assert all((j // 4, j % 4) == (i % 4, i // 4) for i, j in swapped.items())


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"order": "bit-complement", "hosts": ["H[1-6]"]}, "finds 6 hosts; the order bit-complement needs a power of two"),
        ({"order": "transpose", "hosts": ["H[1-6]"]}, "finds 6 hosts; the order transpose needs a square number"),
        ({"order": "shift", "shift_by": 16}, "finds 0 flows on this fabric"),
        ({"hosts": ["H1"]}, "finds 0 flows on this fabric"),
    ],
)
def test_what_does_not_fit_is_a_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInputError) as error:
        partners(**changes)
    assert sentence in error.value.sentence
