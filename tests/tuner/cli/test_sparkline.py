# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import numpy as np

from tuner.cli.sparkline import sparkline


def test_bars_are_eighths_of_the_top() -> None:
    assert sparkline(np.arange(9.0), top=8) == " ▁▂▃▄▅▆▇█"


def test_long_series_are_averaged() -> None:
    assert sparkline(np.array([0.0, 8, 8, 8]), top=8, width=2) == "▄█"


def test_nothing_and_nothing_received() -> None:
    assert sparkline(np.array([]), top=1) == ""
    assert sparkline(np.zeros(3), top=0) == "   "
