# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from collections import Counter
from itertools import permutations

import pytest

from tuner.documents.patterns.draw import Draw


def test_a_seed_is_one_sequence_for_ever() -> None:
    assert Draw(1).shuffled("abcdef") == ["a", "f", "b", "d", "e", "c"]
    assert Draw(2).sample(range(100), 4) == [95, 94, 7, 11]


def test_all_orders_are_equally_likely() -> None:
    draw = Draw(3)
    counts = Counter("".join(draw.shuffled("abc")) for _ in range(6000))
    assert set(counts) == {"".join(order) for order in permutations("abc")}
    assert list(counts.values()) == pytest.approx([1000] * 6, rel=0.1)


def test_a_sample_is_of_different_items_and_leaves_the_list_alone() -> None:
    items = list(range(20))
    assert len(set(Draw(4).sample(items, 20))) == 20
    assert items == list(range(20))
