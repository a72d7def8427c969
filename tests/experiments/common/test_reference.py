# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How near a value must come to a published one."""

import pytest

from experiments._common.reference import Sort, reference, within


@pytest.mark.parametrize(
    ("here", "sort", "near"),
    [
        (1.09, "rate", True),
        (0.91, "rate", True),
        (1.11, "rate", False),
        (0.89, "rate", False),
        (1.95, "collapsed", True),
        (0.51, "collapsed", True),
        (2.05, "latency", False),
        (0.49, "latency", False),
    ],
)
def test_rates_are_near_by_a_part_and_collapsed_ones_and_latencies_by_a_factor(here: float, sort: Sort, near: bool) -> None:
    assert within(here * 13.6, 13.6, sort) is near


def test_tolerances_are_those_of_the_published_file() -> None:
    assert reference("tolerances") == {"rate": 0.10, "collapsed": 2, "latency": 2}
