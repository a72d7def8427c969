# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Histories of checks for the browser: nights with made-up observations, which ibcc itself judges and stores in the service's
database. A month of real measurements would take a month."""

import random
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from unittest.mock import patch

from sqlalchemy.orm import Session

from api.database.engine import Database
from api.database.models.check import CheckAnswer, CheckNight, StoredCheck
from api.services.checks.files import present_check
from api.services.checks.history import DatabaseHistory
from api.services.checks.privacy import private_names, without_names
from tuner.checks.kind import KINDS, Night
from tuner.checks.observation import Finding, Observation
from tuner.checks.run_check import run_check
from tuner.checks.store.night_run import NightRun
from tuner.documents.check_kinds import KindOptions

USUAL: Mapping[str, Mapping[str, float]] = {
    "fairness": {
        "victim_throughput": 12.9,
        "contributor_total": 12.6,
        "total_throughput": 25.5,
        "treatment_variation": 0.021,
        "spread": 1.06,
        "jain_index": 0.9991,
        "settle_time": 0.004,
        "tail_latency": 38.0,
    },
    "tables": {"devices": 9, "drifted": 0, "clamped": 0, "refused": 0, "timing_out": 0, "unknown": 0, "differences": 0},
}
"""Values of a good night by kind and metric."""


def observation(
    kind: str, night: date, changed: Mapping[str, float] = {}, findings: Iterable[Finding] = (), private: Iterable[str] = ()
) -> Observation:
    """A night of this kind, with noise of one percent. `changed`: values in place of the usual ones.
    `private`: names in its findings that only operators read."""
    draw = random.Random(f"{kind} {night}")
    values = {name: value * (1 + draw.gauss(0, 0.01)) if kind == "fairness" else value for name, value in USUAL[kind].items()}
    values |= changed
    if "jain_index" in values:
        values["jain_index"] = min(values["jain_index"], 1.0)
    metrics = tuple((metric, values[metric.name]) for metric in KINDS.get(kind).metrics if metric.name in values)
    facts = (f"made up for the night of {night}",)
    return Observation(metrics=metrics, findings=tuple(findings), facts=facts, private=tuple(private))


class MadeNights:
    """Nights of one check. `folder`: the service's state."""

    def __init__(self, folder: Path, check: str) -> None:
        self._database, self._check = Database(f"sqlite:///{folder / 'ibcc.db'}"), check

    def __enter__(self) -> "MadeNights":
        return self

    def __exit__(self, *error: object) -> None:
        self._database.close()

    def add(self, night: date, seen: Mapping[str, Observation] = {}, *, late: bool = False) -> NightRun:
        """A night that was run. `seen`: by kind, in place of a usual observation."""
        history = DatabaseHistory(
            self._database,
            self._check,
            keep_nights=400,
            on_add=lambda session, run: self._store(session, run, late=late),
        )
        with self._database.reading() as session:
            check = present_check(session, session.get_one(StoredCheck, self._check))

        def observed(options: KindOptions, told: Night) -> Observation:
            return seen.get(options.kind) or observation(options.kind, told.date)

        with patch("tuner.checks.run_check.observed", observed):
            return run_check(check, history, night).run

    def add_usual(self, first: date, nights: int) -> None:
        for i in range(nights):
            self.add(first + timedelta(days=i))

    def add_missed(self, night: date) -> None:
        reason = "it was not run in time: the service did not run, its clock was wrong, or another night was running"
        with self._database.writing() as session:
            session.add(CheckNight(check=self._check, date=night, by="schedule", planned_at=_begin(night), missed=reason))

    def add_draft(self, night: date, cause: str, sentence: str) -> None:
        """The answer `draft_campaign` to that night, whose draft a person has deleted meanwhile."""
        with self._database.writing() as session:
            fabric = session.get_one(StoredCheck, self._check).fabric
            session.add(
                CheckAnswer(
                    check=self._check, fabric=fabric, night=night, answer="draft_campaign", cause=cause, sentence=sentence
                )
            )

    def _store(self, session: Session, run: NightRun, *, late: bool) -> None:
        begin = _begin(run.date)
        started = begin + timedelta(hours=3) if late else begin
        row = session.get(CheckNight, (self._check, run.date)) or CheckNight(
            check=self._check, date=run.date, by="schedule", planned_at=begin, late=late, runs=0
        )
        row.started_at, row.ended_at = started, started + timedelta(seconds=95)
        row.number, row.verdict, row.headline = run.number, run.state, run.headline
        row.public_headline = without_names(run.headline, private_names(run))
        row.runs += 1
        session.add(row)


def _begin(night: date) -> datetime:
    return datetime.combine(night, time(1, 17), UTC)
