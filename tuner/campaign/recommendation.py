# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The rule by which one profile is recommended.

The objectives pull apart: what helps the victim most may treat the contributors worst. A Pareto front does not tell an
administrator what to install, so the rule is fixed: among the profiles that keep every constraint, those whose victims get within
1 % of the best victim throughput; of these the least treatment variation; then the least spread (a constant unfairness has no
variation); then the oldest trial.
"""

from collections.abc import Iterable
from dataclasses import dataclass

VICTIM_TOLERANCE = 0.01

RULE = (
    "feasible; victim throughput within 1 % of the best feasible one; then the least treatment variation; "
    "then the least spread; then the lowest trial number"
)


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """What the rule looks at. A metric is None where the workload has no flows for it, and then decides nothing."""

    number: int
    feasible: bool
    victim_throughput_gbps: float | None
    treatment_variation_gbps2: float | None
    spread_gbps: float | None


def pick(candidates: Iterable[Candidate]) -> Candidate | None:
    """The recommended candidate, or None if none is feasible."""
    feasible = [candidate for candidate in candidates if candidate.feasible]
    if not feasible:
        return None
    best = max(_or_zero(candidate.victim_throughput_gbps) for candidate in feasible)
    near_best = [c for c in feasible if _or_zero(c.victim_throughput_gbps) >= (1 - VICTIM_TOLERANCE) * best]
    return min(near_best, key=lambda c: (_or_zero(c.treatment_variation_gbps2), _or_zero(c.spread_gbps), c.number))


def _or_zero(metric: float | None) -> float:
    return 0.0 if metric is None else metric
