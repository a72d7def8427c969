# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Constraints that a recommendation must keep. A constraint is a row at the end of this file, about a metric of metrics.py."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from tuner.goals.metrics import METRICS
from tuner.registry import Registry

Reference: TypeAlias = Literal["baseline", "expert", "value"]
"""A limit is a fraction of what the same workload and seeds give under the baseline (CC off) or the expert, or a value in the
metric's unit."""
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
    """The quantity that is kept, as a phrase that the limit follows."""
    default_of: Reference
    """The reference of the limit, if the document names none."""
    when_null: float | None = None
    """Stands for a metric that is null although the workload has the flows for it; None: null is an error."""
    missing: str = "no flow there has its role"
    """What is wrong with a workload, or a profile, that has no value."""


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
        """Returns the distance of `value` from the limit, as a part of the reference, or of the limit where that is a value;
        above 0 on the wrong side, and at most 0 if the constraint is kept. `reference`: the metric under `of`; it does not count
        where the limit is a value."""
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
            unit = "" if self.constraint.unit == "1" else f" {self.constraint.unit}"
            return f"{self.constraint.meaning}: {least} {self.limit:g}{unit}"
        of = "with CC off" if self.of == "baseline" else "under the expert's profile"
        return f"{self.constraint.meaning}: {least} {100 * self.limit:g} % of what it is {of}"


CONSTRAINTS: Registry[Constraint] = Registry("constraint")


def _row(name: str, *, meaning: str, default_of: Reference, missing: str = Constraint.missing) -> None:
    """A constraint on the metric of that name, on the side that is better."""
    metric = METRICS[name]
    CONSTRAINTS.add(
        name,
        Constraint(
            name=name,
            metric=metric.key,
            unit=metric.unit,
            sense="at_least" if metric.direction == "maximize" else "at_most",
            meaning=meaning,
            default_of=default_of,
            when_null=metric.when_null,
            missing=missing,
        ),
    )


# Congestion control may not pay for the victim with the hotspot's own throughput.
_row("contributor_total", meaning="what the contributors receive together", default_of="baseline")
# The fabric as a whole may not carry less, whoever gains.
_row("total_throughput", meaning="what all flows receive together", default_of="baseline")
# Whatever else is improved, the victims keep what the published profile gives them. With CC off they receive next to nothing: a
# part of that holds nobody back.
_row("victim_throughput", meaning="what a victim flow receives", default_of="expert")
# Contributors may not be treated more unequally: holds a search to fairness whose objectives do not ask for it.
_row("spread", meaning="the highest minus the lowest contributor throughput, mean over time", default_of="expert")
# A new contributor may not unsettle the others for longer than somebody can bear.
_row(
    "settle_time",
    meaning="the time until all contributors have their fair share after one of them starts",
    default_of="value",
)
# A table may not be fitted to just the contributors of the workload: it would fail with more.
_row(
    "room",
    meaning="how many times as many contributors the table could hold back",
    default_of="value",
    missing="it needs contributors there, and a profile with a table and the link that the table is for",
)
# Small messages may not wait longer than a service can bear.
_row("tail_latency", meaning="the 99th percentile of the round trips", default_of="value")
# In each scenario victims keep what contributors would leave them if they sent nothing, and contributors what they have without
# congestion control: neither depends on a published profile.
_row("victims_share", meaning="what victims receive, of what they receive while contributors are silent", default_of="value")
_row("contributors_share", meaning="what contributors receive together, of what they receive with CC off", default_of="value")
