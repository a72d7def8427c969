# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Screening: every profile is measured cheaply first, and only those that look good go through the plan of the search.

A profile is refused

- if it surely breaks a constraint: in the screening it misses it by more than the screening's tolerance; or
- if it is not among the best `keep` of all screenings so far, its own included. They are ranked by the number of screenings
  that dominate them in the campaign's objectives, those that surely break a constraint behind all others; equals share the
  better rank.

The published profiles that a campaign starts from are never refused. The sampler is told of a refused trial that it counts as
worse than any that was measured in full, and not its values: those of a short run do not compare with those of a long one.

Source: the rule by which asynchronous successive halving promotes (Li et al., A system for massively parallel hyperparameter
tuning, MLSys 2020), with domination in place of one loss, and without later promotion.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from tuner.campaign.evaluation import Evaluation, Plan, objective_values, violations
from tuner.campaign.record import SAMPLED, TrialRecord
from tuner.campaign.setup import Setup
from tuner.goals.pareto import Point, dominates


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Verdict on one screening."""

    values: dict[str, float]
    """Value of each objective."""
    violations: dict[str, float]
    """Violation of each constraint, if one is surely broken; else empty."""
    reason: str
    """Sentence that says why the profile is not measured in full; empty if it is."""


class Screener:
    """Knows all screenings of a campaign so far."""

    def __init__(
        self, setup: Setup, plan: Plan, *, baseline: Evaluation, expert: Evaluation, records: Iterable[TrialRecord] = ()
    ) -> None:
        """`baseline`, `expert`: under the screening's plan. `records`: the trials of earlier sessions."""
        options = setup.campaign.screening
        assert options is not None, "a campaign without a screening has no screener"
        self.plan = plan
        self._setup = setup
        self._options = options
        self._baseline = baseline
        self._expert = expert
        self._ranked = [self._place(record.screening)[:2] for record in records if record.screening is not None]

    def verdict(self, screening: Evaluation, *, origin: str) -> Verdict:
        """Takes a screening in, and says whether the profile goes on. Raises as objective_values and violations."""
        excess, losses, values, broken = self._place(screening)
        self._ranked.append((excess, losses))
        return Verdict(
            values=values,
            violations=broken if excess > 0 else {},
            reason="" if origin != SAMPLED else self._refusal(excess, losses, broken),
        )

    def _refusal(self, excess: float, losses: Point, broken: dict[str, float]) -> str:
        if excess > 0:
            name = max(broken, key=lambda key: broken[key])
            return f"screened out: {name} is surely broken, by {100 * broken[name]:.2g} % in the screening"
        sound = [point for other, point in self._ranked if other <= 0]
        behind = _dominators(losses, sound)
        ahead = sum(_dominators(point, sound) < behind for point in sound)
        if ahead < self._options.keep * len(self._ranked):
            return ""
        return (
            f"screened out: {ahead} of {len(self._ranked)} screenings so far are better; {self._options.keep:g} of them are kept"
        )

    def _place(self, screening: Evaluation) -> tuple[float, Point, dict[str, float], dict[str, float]]:
        """Returns by how much the tolerance is exceeded (above 0: a constraint is surely broken), losses, values and
        violations."""
        values = objective_values(screening, self._setup.objectives)
        violated = violations(screening, self._baseline, self._setup.constraints, expert=self._expert)
        excess = max(violated.values(), default=0.0) - self._options.tolerance
        return excess, tuple(o.sign * values[o.name] for o in self._setup.objectives), values, violated


def _dominators(point: Point, points: Iterable[Point]) -> int:
    return sum(dominates(other, point) for other in points)
