# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a constraint is, and where the known ones are found."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from tuner.registry import Registry

Reference: TypeAlias = Literal["baseline", "expert", "value"]
"""What a limit is measured by: a part of what the same workload and seeds give under the baseline (CC off) or the expert,
or a value in the metric's unit."""
Sense: TypeAlias = Literal["at_least", "at_most"]


@dataclass(frozen=True, kw_only=True)
class Constraint:
    """A metric that must stay on one side of a limit, in every workload."""

    name: str
    metric: str
    """Key of the measurement's `metrics`."""
    unit: str
    sense: Sense
    meaning: str
    """What is held, to be followed by the limit."""
    default_of: Reference
    """What the limit is measured by where the document does not say."""
    when_null: float | None = None
    """What stands for a metric that is null although the workload has the flows for it; None: null is an error."""


@dataclass(frozen=True, kw_only=True)
class Bound:
    """A constraint with its limit."""

    constraint: Constraint
    limit: float
    """A part of the reference's metric, 0.98 for 98 %, or a value in the metric's unit."""
    of: Reference

    @property
    def name(self) -> str:
        return self.constraint.name

    def violation(self, value: float, reference: float | None) -> float:
        """How far `value` is on the wrong side, as a part of the reference, or of the limit where that is a value; at most 0 when
        the constraint is kept. `reference`: the metric under `of`; it does not count where the limit is a value."""
        sign = 1 if self.constraint.sense == "at_least" else -1
        if self.of == "value":
            return sign * (self.limit - value) / self.limit if self.limit else sign * (self.limit - value)
        if reference is None or reference <= 0:  # a part of nothing is nothing: only too much of it can be wrong
            return 0.0 if sign > 0 or value <= 0 else 1.0
        return sign * (self.limit - value / reference)

    @property
    def sentence(self) -> str:
        """The whole of it for people."""
        least = "at least" if self.constraint.sense == "at_least" else "at most"
        if self.of == "value":
            return f"{self.constraint.meaning}: {least} {self.limit:g} {self.constraint.unit}"
        of = "with CC off" if self.of == "baseline" else "under the expert's profile"
        return f"{self.constraint.meaning}: {least} {100 * self.limit:g} % of what it is {of}"


CONSTRAINTS: Registry[Constraint] = Registry("constraint", "tuner.goals.constraints")
