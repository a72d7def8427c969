# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from tuner.cli.text_plot import text_plot


def test_a_straight_line() -> None:
    assert text_plot([0, 1, 2, 3, 4], height=2, unit="µs", x_label="CCTI") == [
        "4 µs ┤   ▄█",
        "   0 ┤ ▄███",
        "     └─────",
        "      0   4 CCTI",
    ]


def test_many_values_are_sampled_from_first_to_last() -> None:
    lines = text_plot([float(i) for i in range(1000)], height=1, width=3, unit="ns", x_label="i")
    assert lines[0] == "999 ns ┤ ▄█"


def test_zeros() -> None:
    assert text_plot([0.0, 0.0], height=1, unit="ns", x_label="i")[0] == "0 ns ┤"
