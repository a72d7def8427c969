# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A series as one line of text."""

import numpy as np

from tuner.goals.series import Series

_BARS = " ▁▂▃▄▅▆▇█"


def sparkline(series: Series, *, top: float, width: int = 40) -> str:
    """The series' means over `width` equal parts (or each sample, if it has fewer), the full bar standing for `top`."""
    if not len(series):
        return ""
    parts = np.array_split(series, min(width, len(series)))
    heights = [0.0 if top <= 0 else float(part.mean()) / top for part in parts]
    return "".join(_BARS[min(len(_BARS) - 1, max(0, round(height * (len(_BARS) - 1))))] for height in heights)
