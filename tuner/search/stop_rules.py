# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The rules that end a search. The first that has a reason ends it; trials that are running are finished.

A new rule is a class here and a line in `rules_of`; options that documents may set are in
tuner/documents/campaign_rules.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tuner.documents import campaign_rules
from tuner.documents.campaign import Budget


@dataclass(frozen=True, kw_only=True)
class SearchState:
    """State of a search when it could begin another trial."""

    begun: int
    """Trials that are finished or running."""
    elapsed_s: float
    """Time spent searching, earlier sessions included."""
    hypervolumes: Sequence[float]
    """After each finished trial: the volume that the feasible ones so far dominate, up to the campaign's reference point."""
    asked_by: str | None = None
    """The person who has asked for the end of the search."""


class StopRule(Protocol):
    def reason(self, state: SearchState) -> str | None:
        """Returns the reason why no further trial begins, as a clause for people, or None to continue. The same state gives the
        same answer."""


@dataclass(frozen=True, kw_only=True)
class Trials:
    """`budget.trials`."""

    at_most: int

    def reason(self, state: SearchState) -> str | None:
        return f"all {self.at_most} trials of the budget are used" if state.begun >= self.at_most else None


@dataclass(frozen=True, kw_only=True)
class Time:
    """`budget.time_s`."""

    at_most_s: float

    def reason(self, state: SearchState) -> str | None:
        return f"all {self.at_most_s:g} s of the budget are used" if state.elapsed_s >= self.at_most_s else None


@dataclass(frozen=True, kw_only=True)
class Stagnation:
    """`stop.stagnation`: the dominated hypervolume no longer grows."""

    options: campaign_rules.Stagnation

    def reason(self, state: SearchState) -> str | None:
        trials, gain = self.options.trials, self.options.gain
        if len(state.hypervolumes) <= trials:
            return None
        before, now = state.hypervolumes[-1 - trials], state.hypervolumes[-1]
        if before <= 0 or now - before > gain * before:
            return None
        return f"the last {trials} trials raised the hypervolume by no more than {gain:.2%}"


class Person:
    """`ibcc campaign finish`. Always in force."""

    def reason(self, state: SearchState) -> str | None:
        return f"{state.asked_by} asked to finish it" if state.asked_by else None


def rules_of(budget: Budget, stop: campaign_rules.Stop) -> list[StopRule]:
    """The rules of a campaign, in the order in which they are asked."""
    rules: list[StopRule] = [Trials(at_most=budget.trials)]
    if budget.time_s is not None:
        rules.append(Time(at_most_s=budget.time_s))
    if stop.stagnation is not None:
        rules.append(Stagnation(options=stop.stagnation))
    return [*rules, Person()]
