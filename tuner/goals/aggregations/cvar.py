# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Conditional value at risk: the mean over the worst part of the workloads, between the mean (all of them) and the worst case.

With n workloads of equal weight and a part p, the k = floor(p · n) worst count whole and the next one for the rest of p · n
(Rockafellar and Uryasev, "Conditional value-at-risk for general loss distributions", 2002, eq. 14).
"""

import math
from collections.abc import Sequence

from tuner.errors import BadInputError
from tuner.goals.aggregations.base import AGGREGATIONS, Aggregation


def cvar(losses: Sequence[float], part: float) -> float:
    """The mean over the worst `part` (above 0, at most 1) of the losses."""
    worst_first = sorted(losses, reverse=True)
    weight = part * len(losses)
    whole = min(math.floor(weight + 1e-9), len(losses))
    rest = weight - whole if whole < len(losses) else 0.0
    if rest < 1e-9:
        return math.fsum(worst_first[:whole]) / whole
    return (math.fsum(worst_first[:whole]) + rest * worst_first[whole]) / weight


def _cvar(number: float | None) -> Aggregation:
    if number is None:
        raise BadInputError("cvar needs the part of the workloads that counts, such as {cvar: 0.25}")
    if not 0 < number <= 1:
        raise BadInputError(f"cvar is {number:g}; the part of the workloads that counts must be above 0 and at most 1")
    return Aggregation(
        name=f"cvar_{number:g}",
        meaning=f"mean over the worst {100 * number:g} % of the workloads",
        combine=lambda losses: cvar(losses, number),
    )


AGGREGATIONS.add("cvar", _cvar)
