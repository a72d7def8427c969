# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Only the workload counts that fares worst: for a fabric whose next workload nobody knows."""

from tuner.errors import BadInputError
from tuner.goals.aggregations.base import AGGREGATIONS, Aggregation

WORST = Aggregation(name="worst", meaning="under the workload where it is worst", combine=max)


def _worst(number: float | None) -> Aggregation:
    if number is not None:
        raise BadInputError(f"the worst case takes no number; {number:g} was given")
    return WORST


AGGREGATIONS.add("worst", _worst)
