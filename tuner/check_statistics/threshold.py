# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Threshold of the evidence at which an alarm is raised."""

from tuner.errors import BadInputError

NIGHTS_A_YEAR = 365
ALARM_PROBABILITY = 0.1
"""Chance of any false alarm within a year, over all metrics together."""


def threshold(metrics: int, alarm_probability: float = ALARM_PROBABILITY, nights: int = NIGHTS_A_YEAR) -> float:
    """Returns the statistic at which a metric's alarm is raised: with `metrics` of them, each watched for `nights`, the chance of
    any false alarm is at most `alarm_probability`. Raises BadInputError for one that is not between 0 and 1, and for no metrics.
    """
    if not 0 < alarm_probability < 1:
        raise BadInputError(f"the alarm probability is {alarm_probability:g}; it must be between 0 and 1")
    if metrics < 1 or nights < 1:
        raise BadInputError(f"there are {metrics} metrics and {nights} nights; there must be at least one of each")
    return nights * metrics / alarm_probability
