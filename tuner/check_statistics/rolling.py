# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Parts of a series that are judged one by one, each against the nights just before it: a normal that follows the seasons.

Within a part the evidence is that of `evidence`. Each night is in `OVERLAP` parts, so that a change has at least a week in one of
them wherever it begins; each part has its share of the stated chance of a false alarm, and a year of parts has it all.
"""

from dataclasses import dataclass

import numpy as np

from tuner.check_statistics.series import Series
from tuner.check_statistics.whitening import Array

REFERENCE = 28
"""Values that a part is compared with: the last ones before it. The first part is compared with the whole baseline."""
LENGTH, STEP = 14, 7
"""Nights of a part, and from the beginning of one to that of the next. With a yearly wave of 2 standard deviations, the middle of
a part is at most 0.7 of them from that of its reference, which 14 nights do not show."""
OVERLAP = LENGTH // STEP


@dataclass(frozen=True)
class Part:
    """Indices of the values that have to be compared, `first` to `begin` with `begin` to `end`."""

    first: int
    begin: int
    end: int


def parts(series: Series) -> list[Part]:
    """Returns the parts that have a value; one of the whole series if its normal does not move."""
    positions, count, start = series.positions(), series.count, len(series.baseline)
    if series.moves is None:
        return [Part(0, count, len(positions))] if len(positions) > count else []
    found = []
    for begin in range(start, start + len(series.nights), STEP):
        low, high = (int(index) for index in np.searchsorted(positions, [begin, begin + LENGTH]))
        if low < high:
            found.append(Part(0 if begin == start else max(0, low - REFERENCE), low, high))
    return found


def shift_of(series: Series, values: Array, part: Part) -> float:
    """Returns what is added to the reference of a part, on the scale, so that its middle is within `series.moves` of the
    baseline's."""
    assumed, moves = series.assumptions, series.moves
    if moves is None:
        return 0.0
    accepted, middle = float(np.median(values[: series.count])), float(np.median(values[part.first : part.begin]))
    centre = float(assumed.row.backward(np.array([accepted]))[0])
    low, high = assumed.row.forward(np.array([centre - moves, centre + moves]), assumed.floor)
    return float(np.clip(middle, low, high)) - middle
