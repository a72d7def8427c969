# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Aggregations of an objective's values under several workloads into one. A new one is a function here and a line at the end."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TypeAlias

from tuner.errors import BadInputError
from tuner.registry import Registry


@dataclass(frozen=True, kw_only=True)
class Aggregation:
    """One number for several workloads, from losses: less is better. At least one loss is given."""

    name: str
    """Stands before the objective's own name: `worst_total_throughput`. Empty for the mean, which needs no mention."""
    meaning: str
    """Ends a sentence that begins with what the objective is."""
    combine: Callable[[Sequence[float]], float] = field(compare=False)


Maker: TypeAlias = Callable[[float | None], Aggregation]
"""Takes the number that a document gives, `0.25` of `{cvar: 0.25}`, or None. Raises BadInputError if it cannot be used."""

AGGREGATIONS: Registry[Maker] = Registry("aggregation")

MEAN = Aggregation(name="", meaning="mean over the workloads", combine=fmean)
"""All workloads have the same weight: what an objective is unless the document says otherwise."""
WORST = Aggregation(name="worst", meaning="under the workload where it is worst", combine=max)
"""Only the workload with the worst value counts: for a fabric whose next workload nobody knows."""


def cvar(losses: Sequence[float], part: float) -> float:
    """Conditional value at risk: the mean over the worst `part` (above 0, at most 1) of the losses.

    It lies between the mean (all of them) and the worst case. With n workloads of equal weight and a part p, the k = floor(p · n)
    worst count whole and the next one for the rest of p · n (Rockafellar and Uryasev, "Conditional value-at-risk for general loss
    distributions", 2002, eq. 14).
    """
    worst_first = sorted(losses, reverse=True)
    weight = part * len(losses)
    whole = min(math.floor(weight + 1e-9), len(losses))
    rest = weight - whole if whole < len(losses) else 0.0
    if rest < 1e-9:
        return math.fsum(worst_first[:whole]) / whole
    return (math.fsum(worst_first[:whole]) + rest * worst_first[whole]) / weight


def _mean(number: float | None) -> Aggregation:
    if number is not None:
        raise BadInputError(f"the mean takes no number; {number:g} was given")
    return MEAN


def _worst(number: float | None) -> Aggregation:
    if number is not None:
        raise BadInputError(f"the worst case takes no number; {number:g} was given")
    return WORST


def _cvar(number: float | None) -> Aggregation:
    if number is None:
        raise BadInputError("cvar needs the fraction of the workloads that counts, such as {cvar: 0.25}")
    if not 0 < number <= 1:
        raise BadInputError(f"cvar is {number:g}; the fraction of the workloads that counts must be above 0 and at most 1")
    return Aggregation(
        name=f"cvar_{number:g}",
        meaning=f"mean over the worst {100 * number:g} % of the workloads",
        combine=lambda losses: cvar(losses, number),
    )


AGGREGATIONS.add("mean", _mean)
AGGREGATIONS.add("worst", _worst)
AGGREGATIONS.add("cvar", _cvar)
