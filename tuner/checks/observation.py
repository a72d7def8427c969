# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Observation of a kind in one night: metrics and findings, or why it could not be run."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from tuner.check_statistics.series import Assumptions
from tuner.checks.severity import Severity
from tuner.checks.symptoms.symptom import Symptom

Better: TypeAlias = Literal["more", "less"]


@dataclass(frozen=True, kw_only=True)
class MetricKind:
    """Description of a metric, known before it is measured.

    `name`: within its entry. `unit`: "1" for a number without one. `better`: whether more of it is better, or less.
    `assumptions`: of its noise from night to night. None: it counts what is there or differs, such as links, or follows from
    tables alone; it has no noise and no normal, is stored and shown, and findings say what is wrong. `least_effect`, above 0: the
    least change of interest, in the metric's unit, or, if `relative`, as a share of the value before the change.
    """

    name: str
    unit: str
    better: Better
    assumptions: Assumptions | None = None
    least_effect: float = 1.0
    relative: bool = False

    @property
    def noise(self) -> Assumptions:
        """The assumptions of a metric that has a normal."""
        assert self.assumptions is not None, f"{self.name} is a count"
        return self.assumptions

    def matters(self, before: float, shift: float) -> bool:
        """True for a change by `shift` in the bad direction that is at least as large as the least effect."""
        bad = shift < 0 if self.better == "more" else shift > 0
        return bad and abs(shift) >= self.least(before)

    def shows(self, value: float, before: float, shift: float) -> bool:
        """True for a night's value that differs from the one before a change, as the change does: by half of `shift`, or by the
        least effect if that is less."""
        return (value - before) * math.copysign(1.0, shift) >= min(abs(shift) / 2, self.least(before))

    def least(self, before: float) -> float:
        """Returns the least change of interest of a metric that was `before`, in its unit."""
        return self.least_effect * (abs(before) if self.relative else 1.0)


def count(name: str, better: Better) -> MetricKind:
    """Returns a metric without a normal: a count of devices, links, routes or hosts, or what follows from the tables alone."""
    return MetricKind(name=name, unit="1", better=better)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A fault that needs no baseline.

    `code`: the kind of fault in short, such as "link-slow", for the rules that find causes. `sentence`: what is wrong.
    `place`: the device, link or host. `evidence`: what was seen. `next_step`: a command that shows more or repairs it.
    """

    code: str
    sentence: str
    place: str
    evidence: str
    next_step: str
    severity: Severity = "fail"
    nodes: tuple[str, ...] = ()
    """Nodes of the fabric that it is at, where `place` does not name them."""
    level: float | None = None
    """How bad it is, in whatever unit; more is worse. None where nights are not compared by it."""


@dataclass(frozen=True, kw_only=True)
class Observation:
    """`metrics`: each with its value, or None if it has none tonight. `not_run`: a sentence that says what is missing; then there
    are no metrics and no findings. `facts`: sentences for people about how it was measured. `record`: what later nights are
    compared with beside metrics, such as all links and forwarding tables; it must be JSON. `symptoms`: what has changed since the
    last good night, for the rules that find causes; they raise no alarm. None if there is nothing to compare with. `unseen`:
    symptoms that could not be looked for, as what they are read from is missing. `private`: names of jobs and users that these
    texts have, which only operators may read."""

    metrics: tuple[tuple[MetricKind, float | None], ...] = ()
    findings: tuple[Finding, ...] = ()
    not_run: str | None = None
    facts: tuple[str, ...] = ()
    record: Mapping[str, Any] | None = None
    private: tuple[str, ...] = ()
    symptoms: tuple[Symptom, ...] | None = None
    unseen: tuple[str, ...] = ()
    regime: str | None = None
    """Revision of the profile in force, where metrics depend on it and the check does not choose it: values under another one are
    not compared."""
    not_judged: str | None = None
    """A sentence that says why the metrics tell nothing of the fabric, such as other traffic; they are kept, and not compared."""
    measured: frozenset[str] | None = None
    """Nodes and ports that were measured; None: all. An alarm at others is neither seen nor repaired tonight."""

    @property
    def is_learnt(self) -> bool:
        """True if a baseline may have its metrics."""
        return self.not_run is None and self.not_judged is None

    @property
    def judged(self) -> tuple[tuple[MetricKind, float | None], ...]:
        """The metrics, without values if they are not judged."""
        return self.metrics if self.not_judged is None else tuple((metric, None) for metric, _ in self.metrics)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An entry of the check as it was observed tonight. `options`: the digest of its options."""

    name: str
    options: str
    observation: Observation
