# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Years without a fault of the packaged check `nightly`, all metrics that have a normal together, drawn from the hundred nights
with jobs of five nights and a yearly wave: failures a year, and lines of mail a week.

`python -m experiments.nightly_checks year` prints them. An alarm is told once, so each has one line in the mail of the night that
it is new in; nights that fail by what is known are not mailed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from experiments.nightly_checks import false_alarms, hundred
from experiments.nightly_checks.years import Alarms, Worse, alarms

YEARS = 10
MOST_FAILURES = 4
"""Failures that a fabric may have in a year, as docs promise."""
MOST_LINES = 10.0
"""Lines of mail that a week may bring."""
_WEEKS = 365.25 / 7
CONDITIONS: Mapping[str, Worse] = {
    "as the hundred nights are": Worse(),
    "jobs of five nights, in one night of six, by 3 standard deviations": Worse(jobs=3.0),
    "a yearly wave of 1 standard deviation": Worse(wave=1.0),
    "both": Worse(jobs=3.0, wave=1.0),
}


@dataclass(frozen=True)
class Year:
    """`failures`: metrics that fail the check by a false alarm. `lines`: those that are told, warnings among them."""

    failures: int
    lines: int

    @property
    def lines_a_week(self) -> float:
        return self.lines / _WEEKS


def years_of(found: Mapping[str, Alarms]) -> list[Year]:
    """`found`: by metric."""
    failed = np.sum([one.failed for one in found.values()], axis=0)
    raised = np.sum([one.raised for one in found.values()], axis=0)
    return [Year(int(failures), int(lines)) for failures, lines in zip(failed, raised, strict=True)]


def drawn(worse: Worse, *, years: int = YEARS, seed: int = 1) -> list[Year]:
    return years_of(alarms(hundred.stored(), false_alarms.entries(), years=years, worse=worse, seed=seed))


def lines(years: int = YEARS) -> Iterator[str]:
    """A line for each condition."""
    for name, worse in CONDITIONS.items():
        found = drawn(worse, years=years)
        failures = [one.failures for one in found]
        yield (
            f"{name}: {years} years, at most {max(failures)} failures a year, {sum(failures) / years:.2f} on average; "
            f"at most {max(one.lines_a_week for one in found):.2f} lines of mail a week"
        )
