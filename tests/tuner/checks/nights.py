# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs as a history has them, made up."""

from collections.abc import Sequence
from datetime import date, timedelta

from tuner.check_statistics.series import Assumptions
from tuner.checks.observation import Finding, MetricKind, Observation
from tuner.checks.run_check import options_digest
from tuner.checks.store.history import History
from tuner.checks.store.night_run import EntryRun, NightRun
from tuner.documents.check import Check
from tuner.documents.check_kinds import Fairness

FIRST = date(2026, 1, 1)
CHECK = Check(ibcc_check=1, name="made-up", fabric="two-switch", kinds=(Fairness(profile="off"),))
THROUGHPUT = MetricKind(
    name="victim_throughput",
    unit="Gb/s",
    better="more",
    assumptions=Assumptions(resolution=0.01, scale="log", floor=1e-3, tails="light"),
    least_effect=0.05,
    relative=True,
)
DIGEST = options_digest(CHECK, CHECK.kinds[0])


def night(index: int) -> date:
    return FIRST + timedelta(days=index)


def run(day: date, value: float | None, *, number: int = 0, not_run: str | None = None, options: str = DIGEST) -> NightRun:
    values = {} if not_run else {THROUGHPUT.name: value}
    entry = EntryRun(
        name="fairness",
        kind="fairness",
        options=options,
        values=values,
        units=dict.fromkeys(values, "Gb/s"),
        findings=(Finding(code="e", sentence="a", place="b", evidence="c", next_step="d"),),
        not_run=not_run,
        facts=("as it is",),
    )
    moment = "2026-01-01T00:00:00+00:00"
    return NightRun(
        check=CHECK.name, date=day, number=number, started=moment, ended=moment, entries=(entry,), state="pass", headline="x"
    )


def observation(value: float | None, *findings: Finding) -> Observation:
    return Observation(metrics=((THROUGHPUT, value),), findings=findings)


def fill(history: History, values: Sequence[float | None]) -> None:
    """A run a night from the first one on; None: that night was missed."""
    for i, value in enumerate(values):
        if value is not None:
            history.add(run(night(i), value))
