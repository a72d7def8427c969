# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Counters that stay at their largest value, and that begin anew."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.checks.links.growth import Growth, growth

LARGEST = st.sampled_from([(1 << bits) - 1 for bits in (4, 8, 16, 32, 64)])


@st.composite
def histories(draw: st.DrawFn) -> tuple[int, int, int, int]:
    """A counter's width, what was counted before the first reading, and between the two before and after a reset. All counts are
    drawn about the largest value."""
    largest = draw(LARGEST)
    counts = st.integers(0, largest + largest // 2)
    return largest, draw(counts), draw(counts), draw(counts)


@given(histories())
def test_a_counter_that_is_not_reset_tells_its_growth_or_less(history: tuple[int, int, int, int]) -> None:
    largest, before, between, _ = history
    first, second = min(before, largest), min(before + between, largest)
    found = growth(first, second, largest)
    if first == largest:
        assert found is None
    else:
        assert found is not None
        assert found.count <= between
        assert found.is_least or found.count == between
        assert found.is_least == (second == largest)


@given(histories())
def test_a_counter_that_was_reset_never_tells_more_than_it_counted(history: tuple[int, int, int, int]) -> None:
    largest, before, between, after = history
    first, second = min(before, largest), min(after, largest)
    found = growth(first, second, largest)
    if found is not None:
        assert found.count <= between + after
        assert found.is_least or second >= first


@pytest.mark.parametrize(
    ("before", "now", "found"),
    [
        (0, 0, Growth(0)),
        (3, 10, Growth(7)),
        (10, 3, Growth(3, is_least=True)),
        (255, 3, Growth(3, is_least=True)),
        (250, 255, Growth(5, is_least=True)),
        (255, 255, None),
        (None, 5, None),
        (5, None, None),
    ],
)
def test_growth(before: int | None, now: int | None, found: Growth | None) -> None:
    assert growth(before, now, 255) == found
