# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What trial runs measured: kept with the profile's revision, beside what was promised, for those who may see the fabric."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.base.times import now
from api.database.models.check import CheckNight, CheckRun, StoredCheck
from api.database.models.trial_outcome import TrialOutcome
from api.services.checks.history import DatabaseHistory
from api.services.trial_outcomes import note_night
from tests.api import check_service
from tests.api.fabric_service import FABRIC, once, run_jobs, with_default_fabric
from tests.api.service import Service
from tuner.checks.store.night_run import EntryRun, NightRun
from tuner.documents.profile import load_profile, profile_revision

GRAN = profile_revision(load_profile("gran-2010"))
OFF = profile_revision(load_profile("off"))
METRICS = {"victim_throughput": "Gb/s", "contributor_total": "Gb/s"}
NOTHING = "Nothing was measured under this profile: no check of the fabric ran a workload with victims during the trial run."


def night(service: Service, victims: float, *, regime: str | None, at: datetime | None = None, options: str = "same") -> None:
    """A night of check `site` as its job stores it, which began at `at`."""
    at = at or now()
    entry = EntryRun(
        name="fairness",
        kind="fairness",
        options=options,
        values={"victim_throughput": victims, "contributor_total": 13.0},
        units=METRICS,
        findings=(),
        not_run=None,
        regime=regime,
    )
    run = NightRun(
        check="site",
        date=at.date(),
        number=0,
        started=at.isoformat(),
        ended=at.isoformat(),
        entries=(entry, replace(entry, name="links", kind="links", regime=None)),
        state="pass",
        headline="all is well",
        fabric="two-switch",
    )
    with service.database.writing() as session:
        row = session.get(CheckNight, ("site", at.date())) or CheckNight(check="site", date=at.date(), by="schedule")
        row.started_at, row.ended_at = at, at
        session.add(row)

    def noted(session: Any, run: NightRun) -> None:
        note_night(session, session.get_one(StoredCheck, "site"), session.get_one(CheckNight, ("site", run.date)), run)

    DatabaseHistory(service.database, "site", keep_nights=30, on_add=noted).add(run)


def tried(service: Service, operator: TestClient, profile: str = "gran-2010") -> str:
    job = operator.post(f"{FABRIC}/apply", json={"profile": profile, "ttl_s": 600}, headers=once()).json()
    assert run_jobs(service, operator, job["id"])["state"] == "done"
    return str(job["id"])


def seen(client: TestClient, **params: Any) -> list[dict[str, Any]]:
    answer = client.get("/api/v1/trial-runs", params=params)
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


@pytest.fixture
def operator(service: Service) -> TestClient:
    with_default_fabric(service)
    operator = service.as_role("operator")
    check_service.created(operator)
    return operator


def test_victims_before_and_during_are_kept_with_the_revision(service: Service, operator: TestClient) -> None:
    night(service, 2.2, regime=OFF, at=now() - timedelta(days=1))
    job = tried(service, operator)
    (begun,) = seen(operator)
    assert (begun["job"], begun["revision"], begun["is_over"], begun["during"]) == (job, GRAN, False, [])
    assert begun["sentence"] == NOTHING
    night(service, 12.5, regime=GRAN)
    night(service, 13.0, regime=GRAN)
    (found,) = seen(operator, profile="gran-2010", version=1)
    victims, contributors = found["compared"]
    assert (victims["metric"], victims["before"], victims["during"], victims["promised"]) == (
        "victim_throughput",
        2.2,
        13.0,
        None,
    )
    assert (contributors["metric"], contributors["unit"]) == ("contributor_total", "Gb/s")
    assert [len(night["entries"]) for night in found["during"]] == [1, 1], "the entry that names no profile is left out"
    assert found["sentence"] == "A victim got 13 Gb/s during it, 2.2 before; no campaign of the service promised anything."
    restored = operator.post(f"{FABRIC}/restore", headers=once()).json()
    run_jobs(service, operator, restored["id"])
    night(service, 9.0, regime=GRAN)
    (over,) = seen(operator)
    assert over["is_over"] is True
    assert over["compared"] == found["compared"], "a night behind its end is none of it"


def test_a_night_under_another_profile_is_none_of_it(service: Service, operator: TestClient) -> None:
    """Somebody may have changed the fabric beside the service."""
    tried(service, operator)
    night(service, 2.0, regime=OFF)
    (found,) = seen(operator)
    assert (found["during"], found["sentence"]) == ([], NOTHING)


def test_figures_of_other_options_are_not_compared(service: Service, operator: TestClient) -> None:
    night(service, 2.2, regime=OFF, at=now() - timedelta(days=1), options="another workload")
    tried(service, operator)
    night(service, 13.0, regime=GRAN)
    (found,) = seen(operator)
    assert found["compared"][0]["before"] is None
    assert "what they got before was not measured" in found["sentence"]


def test_it_stays_when_nights_and_check_are_gone(service: Service, operator: TestClient) -> None:
    night(service, 2.2, regime=OFF, at=now() - timedelta(days=1))
    tried(service, operator)
    night(service, 13.0, regime=GRAN)
    before = seen(operator)
    with service.database.writing() as session:
        session.query(CheckRun).delete()
        session.query(CheckNight).delete()
        session.delete(session.get_one(StoredCheck, "site"))
    assert seen(operator)[0]["compared"] == before[0]["compared"]


def test_the_next_trial_run_ends_the_one_before(service: Service, operator: TestClient) -> None:
    first = tried(service, operator)
    second = tried(service, operator, "off")
    night(service, 3.0, regime=OFF)
    latest, former = seen(operator)
    assert (latest["job"], latest["is_over"], len(latest["during"])) == (second, False, 1)
    assert (former["job"], former["is_over"], former["during"]) == (first, True, [])
    assert [one["job"] for one in seen(operator, profile="off")] == [second]
    assert seen(operator, fabric="elsewhere") == seen(operator, profile="gran-2010", version=2) == []


def test_who_may_not_see_the_fabric_sees_none_and_no_promise_of_another(service: Service, operator: TestClient) -> None:
    tried(service, operator)
    assert len(seen(service.as_role("viewer"))) == 1
    assert seen(service.as_role("operator", fabrics=["elsewhere"])) == []
    promised = {
        "campaign": "c1",
        "name": "secret",
        "fabric": "elsewhere",
        "trial": 3,
        "backend": "emulated",
        "variant": None,
        "model": {},
        "ended_at": datetime(2026, 1, 2, tzinfo=UTC).isoformat(),
        "figures": [
            {
                "metric": "victim_throughput_gbps",
                "side": "gain",
                "value": {"value": 12.9, "low": 12.8, "high": 13.0},
                "against_off": None,
                "against_published": None,
            }
        ],
    }
    with service.database.writing() as session:
        session.query(TrialOutcome).one().promised = promised
    night(service, 13.0, regime=GRAN)
    (own,) = seen(service.as_role("operator", fabrics=["two-switch"]))
    assert own["promised"] is None
    assert "secret" not in str(own)
    (all_fabrics,) = seen(operator)
    assert all_fabrics["promised"]["name"] == "secret"
    assert all_fabrics["compared"][0]["promised"] is None, "another fabric may have other devices"
    with service.database.writing() as session:
        session.query(TrialOutcome).one().promised = promised | {"fabric": "two-switch"}
    (found,) = seen(operator)
    assert found["compared"][0]["promised"] == {"value": 12.9, "low": 12.8, "high": 13.0}
    assert found["sentence"].endswith("campaign 'secret' promised 12.9 (12.8 to 13).")
