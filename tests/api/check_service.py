# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Checks for tests: real measurements in the simulator of a hundredth of the time, and nights made up."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.base.times import now
from api.database.models.check import CheckNight, StoredCheck
from api.services.checks import nights
from api.services.checks.files import present_check
from api.services.checks.history import DatabaseHistory
from api.services.checks.privacy import without_names
from api.services.checks.schedule import night_of
from tests.api.fabric_service import once, run_jobs
from tests.api.service import Service
from tuner.checks.observation import Finding
from tuner.checks.run_check import options_digest
from tuner.checks.store.night_run import EntryRun, NightRun, Remark

CHECKS = "/api/v1/checks"
DOCUMENT = """\
ibcc_check: 1
description: a short measurement
learn_nights: 5
kinds:
- {kind: fairness, workload: scenario-1, profile: gran-2010, time_scale: 0.02}
"""
SCHEDULE = {"at": "02:17", "zone": "Europe/Oslo", "late_by_h": 6}


def created(client: TestClient, name: str = "site", **more: Any) -> dict[str, Any]:
    answer = client.post(CHECKS, json={"name": name, "fabric": "two-switch", "document": DOCUMENT} | more)
    assert answer.status_code == 201, answer.text
    document: dict[str, Any] = answer.json()
    return document


def seen(client: TestClient, part: str = "", name: str = "site", **params: Any) -> Any:
    answer = client.get(f"{CHECKS}/{name}{part}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def run_night(service: Service, client: TestClient, name: str = "site") -> dict[str, Any]:
    """Runs tonight's check to its end; the job."""
    answer = client.post(f"{CHECKS}/{name}/run", headers=once())
    assert answer.status_code == 202, answer.text
    return run_jobs(service, client, answer.json()["id"])


def all_in_one_night(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on somebody runs all checks in the night of now, even if midnight passes."""
    moment = now()
    monkeypatch.setattr(nights, "night_of", lambda schedule, at: night_of(schedule, moment))


def put(client: TestClient, part: str, body: Any, name: str = "site") -> Any:
    return client.put(f"{CHECKS}/{name}{part}", json=body, headers={"If-Match": "*"})


def made_up(service: Service, values: Sequence[float | None], *, first: date, name: str = "site", **more: Any) -> None:
    """A night for each value of `fairness.victim_throughput`, from `first` on; None: it was missed."""
    for i, value in enumerate(values):
        if value is not None:
            add_night(service, first + timedelta(days=i), value, name=name, **more)


def add_night(
    service: Service,
    night: date,
    value: float | None = 1.0,
    *,
    name: str = "site",
    state: str = "pass",
    headline: str = "as it is",
    findings: Sequence[Finding] = (),
    private: Sequence[str] = (),
    remarks: Sequence[Remark] = (),
    facts: Sequence[str] = (),
) -> NightRun:
    """Stores a run of that night as a job would, without a job."""
    with service.database.reading() as session:
        check = present_check(session, session.get_one(StoredCheck, name))
    entry = EntryRun(
        name="fairness",
        kind="fairness",
        options=options_digest(check, check.kinds[0]),
        values={} if value is None else {"victim_throughput": value},
        units={} if value is None else {"victim_throughput": "Gb/s"},
        findings=tuple(findings),
        not_run="no plugin" if value is None else None,
        facts=tuple(facts),
        good=state == "pass",
        private=tuple(private),
    )
    moment = datetime.combine(night, datetime.min.time(), UTC).isoformat()
    run = NightRun(
        check=name,
        date=night,
        number=0,
        started=moment,
        ended=moment,
        entries=(entry,),
        state=state,
        headline=headline,
        remarks=tuple(remarks),
    )

    def stored(session: Any, kept: NightRun) -> None:
        row = session.get(CheckNight, (name, night)) or CheckNight(check=name, date=night, by="test")
        row.number, row.verdict, row.headline = kept.number, state, headline
        row.public_headline = without_names(headline, private)
        row.runs = (row.runs or 0) + 1
        session.add(row)

    return DatabaseHistory(service.database, name, keep_nights=400, on_add=stored).add(run)
