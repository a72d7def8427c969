# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a constraint is, and where the known ones are found."""

from dataclasses import dataclass

from tuner.registry import Registry


@dataclass(frozen=True, kw_only=True)
class Constraint:
    """A metric that must keep a fraction of what it is under the baseline profile (CC off), same workload and seeds."""

    name: str
    metric: str
    """Key of the measurement's `metrics`; more must be better."""
    unit: str
    meaning: str
    default_fraction: float

    def violation(self, value: float, baseline: float, fraction: float) -> float:
        """How far `value` falls short, as a fraction of the baseline; at most 0 when the constraint is kept."""
        return fraction - value / baseline if baseline > 0 else 0.0


CONSTRAINTS: Registry[Constraint] = Registry("constraint", "tuner.constraints")
