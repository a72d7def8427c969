# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""All workloads count the same: what an objective is without any word on it."""

from statistics import fmean

from tuner.errors import BadInputError
from tuner.goals.aggregations.base import AGGREGATIONS, Aggregation

MEAN = Aggregation(name="", meaning="mean over the workloads", combine=fmean)


def _mean(number: float | None) -> Aggregation:
    if number is not None:
        raise BadInputError(f"the mean takes no number; {number:g} was given")
    return MEAN


AGGREGATIONS.add("mean", _mean)
