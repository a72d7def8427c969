# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import threading
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from api.background.check_scheduler import CheckScheduler
from api.database.engine import Database
from api.database.models.check import CheckNight
from api.database.models.event import Event
from api.database.models.fabric import Fabric
from api.database.models.job import Job
from api.jobs import lease
from api.jobs.kinds import check as check_job
from api.queue.table import enqueue
from api.services.checks import creation, documents, nights
from tests.api.campaign_service import created as campaign_created
from tests.api.check_service import (
    CHECKS,
    DOCUMENT,
    SCHEDULE,
    add_night,
    all_in_one_night,
    created,
    made_up,
    put,
    run_night,
    seen,
)
from tests.api.fabric_service import once, run_jobs, with_default_fabric
from tests.api.service import Service
from tuner.checks.observation import Finding
from tuner.checks.store.night_run import Remark

pytestmark = pytest.mark.long


def at(hour: int, minute: int = 0, day: int = 2) -> datetime:
    return datetime(2026, 1, day, hour, minute, tzinfo=UTC)


class Clock:
    """The present of all that has to do with schedules."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, moment: datetime) -> None:
        self.moment = moment
        for module in (nights, creation, documents, check_job):
            monkeypatch.setattr(module, "now", lambda: self.moment)

    def __call__(self) -> datetime:
        return self.moment


def test_a_check_runs_learns_is_accepted_and_judges(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    all_in_one_night(monkeypatch)
    operator = with_default_fabric(service).as_role("operator")
    created(operator)
    job = run_night(service, operator)
    assert job["state"] == "done", job
    assert job["result"]["state"] == "pass", job["result"]
    check = seen(operator)
    assert check["state"] == "idle"
    assert check["last"]["headline"] == "learning: 1 of 5 nights"
    assert check["learn_nights"] == 5
    night = seen(operator, f"/nights/{check['last']['date']}")
    value = night["entries"][0]["values"]["victim_throughput"]
    assert value > 0
    assert night["entries"][0]["units"]["victim_throughput"] == "Gb/s"
    made_up(service, [value] * 10, first=date(2026, 1, 1))
    accepted = operator.post(f"{CHECKS}/site/baseline", json={"first": "2026-01-01", "until": "2026-01-10"})
    assert accepted.status_code == 200, accepted.text
    job = run_night(service, operator)
    assert "6 of 7 metrics not judged" in job["result"]["headline"]
    (trend,) = [one for one in seen(operator, "/metrics")["items"] if one["name"] == "fairness.victim_throughput"]
    assert len(trend["values"]) == 11
    assert trend["baseline"]["found"]["1"] < trend["baseline"]["found"]["7"] < trend["baseline"]["middle"]
    assert (trend["better"], trend["relative"], trend["least_effect"]) == ("more", True, 0.05)
    summary = seen(operator)
    assert summary["baseline"]["nights"] == 10
    assert (summary["last"]["runs"], summary["last"]["verdict"]) == (2, "warn")


def test_nights_that_may_be_accepted_say_so(service: Service) -> None:
    operator = with_default_fabric(service).as_role("operator")
    created(operator)
    add_night(service, date(2026, 1, 1), 5.0)
    add_night(service, date(2026, 1, 2), None, state="could not be run")
    nights = seen(operator, "/nights")["items"]
    assert [(night["date"], night["observed"]) for night in nights] == [("2026-01-02", False), ("2026-01-01", True)]
    assert seen(operator)["last"]["observed"] is False
    assert seen(operator, "/nights/2026-01-01")["observed"] is True


def test_what_has_changed_since_the_last_good_night(service: Service) -> None:
    operator = with_default_fabric(service).as_role("operator")
    created(operator)
    assert seen(operator, "/changes")["night"] is None
    old, new = (Finding(code="drift", sentence=one, place=one, evidence="e", next_step="n") for one in ("S1", "S2"))
    add_night(service, date(2026, 1, 1), 5.0, findings=[old])
    add_night(service, date(2026, 1, 2), 5.0, state="fail", findings=[new])
    changes = seen(operator, "/changes")
    assert (changes["night"], changes["good_night"], changes["state"]) == ("2026-01-02", "2026-01-01", "fail")
    assert [one["place"] for one in changes["new_findings"]] == ["S2"]
    assert [one["place"] for one in changes["gone_findings"]] == ["S1"]


def test_names_of_jobs_and_users_are_for_operators_only(service: Service) -> None:
    operator, viewer = (with_default_fabric(service).as_role(role) for role in ("operator", "viewer"))
    created(operator)
    words = "job cfd-solver of anna slowed S1; cfd-solver-2 did not"
    finding = Finding(code="x", sentence=words, place="S1", evidence=words, next_step="n")
    remark = Remark(subject="fairness", state="fail", sentence=words)
    add_night(
        service,
        date(2026, 1, 1),
        state="fail",
        headline=words,
        findings=[finding],
        remarks=[remark],
        facts=[words],
        private=["cfd-solver", "anna"],
    )
    assert seen(operator, "/nights/2026-01-01")["entries"][0]["facts"] == [words]
    for path in ("/nights/2026-01-01", "/changes"):
        text = viewer.get(f"{CHECKS}/site{path}").text
        assert "anna" not in text
        assert "job … of … slowed S1; cfd-solver-2 did not" in text


def test_events_jobs_and_lists_have_no_such_names(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from tuner.checks.kind import KINDS
    from tuner.checks.observation import Observation

    found = Finding(code="x", sentence="job cfd-solver of anna", place="S1", evidence="e", next_step="n")
    observation = Observation(findings=(found,), private=("cfd-solver", "anna"))
    kind = replace(KINDS.get("fairness"), observe=lambda options, night: observation)
    monkeypatch.setitem(KINDS._variants, "fairness", kind)
    operator, viewer = (with_default_fabric(service).as_role(role) for role in ("operator", "viewer"))
    created(operator)
    assert put(service.as_role("admin"), "/policy", {"rules": [{"answer": "reapply"}]}).status_code == 200
    run_night(service, operator)
    assert seen(operator)["last"]["headline"].startswith("job cfd-solver of anna")
    for path in ("/checks", "/checks/site/nights", "/checks/site/answers", "/jobs"):
        assert "anna" not in viewer.get(f"/api/v1{path}").text
    with service.database.reading() as session:
        told = [event for event in session.query(Event) if event.topic == "checks"]
        assert not [event for event in told if "anna" in str(event.data)]
        assert [event.kind for event in told if event.data.get("verdict")] == ["check.night"]
        assert "check.answer" in {event.kind for event in told}


def test_a_token_for_another_fabric_sees_and_does_nothing(service: Service) -> None:
    operator = with_default_fabric(service).as_role("operator")
    created(operator)
    stranger = service.as_role("admin", ["elsewhere"])
    assert stranger.get(CHECKS).json()["items"] == []
    assert stranger.post(CHECKS, json={"name": "x", "fabric": "two-switch", "template": "quick"}).status_code == 403
    for method, part in (("get", ""), ("get", "/nights"), ("get", "/metrics"), ("post", "/run"), ("delete", "/baseline")):
        answer = stranger.request(method, f"{CHECKS}/site{part}", headers=once() if part == "/run" else {})
        assert answer.status_code == 404, (method, part)


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("ibcc_check: 1\nkinds: [{kind: tables}]", "needs the OpenSM plugin; fabric 'two-switch' is simulated and has none"),
        ("ibcc_check: 1\nkinds: [{kind: fairness, backend: emulated}]", "needs an emulated fabric"),
        ("ibcc_check: 1\nkinds: [{kind: fairness, profile: off, socket: /run/x}]", "only backend 'emulated' has a socket"),
        ("ibcc_check: 1\nkinds: [{kind: fairness, profile: ../off.yaml}]", "not a path"),
        ("ibcc_check: 1\nkinds: [{kind: fairness, profile: off, workload: /etc/passwd}]", "not a path"),
        ("ibcc_check: 1\nkinds: [{kind: fairness, profile: off, workload: forest-silent}]", "finds 7 hosts"),
        ("ibcc_check: 1\nname: other\nkinds: [{kind: tables}]", "name is 'other'; in the service it must be 'site'"),
        ("ibcc_check: 1\nfabric: other\nkinds: [{kind: tables}]", "fabric is 'other'; in the service it must be 'two-switch'"),
        ("ibcc_check: 1\nkinds: [{kind: nonsense}]", "nonsense"),
        (
            "ibcc_check: 1\nkinds: [{kind: congestion_impact, backend: gpcnet, output: /etc/passwd}]",
            "only `ibcc check run` can run",
        ),
        ("ibcc_check: 1\nkinds: [{kind: congestion_impact, output: /etc/passwd}]", "only `ibcc check run` can run"),
        ("ibcc_check: 1\nkinds: [{kind: congestion_impact, backend: [gpcnet]}]", "backend"),
        (
            "ibcc_check: 1\nkinds: [{kind: links, topology: discover}]",
            "needs an emulated fabric",
        ),
        ("ibcc_check: 1\nkinds: [{kind: routes, source: files, topology: a, tables: b}]", "only `ibcc check run` can run"),
        ("ibcc_check: 1\nkinds: 3", "kinds"),
        ("ibcc_check: 1\nkinds: []", "kinds is empty"),
        (f"ibcc_check: 1\nkinds: [{', '.join(['{kind: tables}'] * 33)}]", "at most 32 are observed in a night"),
        ("[]", "document is no check"),
        ("a: [", "not valid YAML"),
    ],
)
def test_what_the_service_could_not_run_is_refused(calm_service: Service, document: str, words: str) -> None:
    body = {"name": "site", "fabric": "two-switch", "document": document}
    refused = calm_service.as_role("operator").post(CHECKS, json=body)
    assert refused.status_code == 422, refused.text
    assert words in refused.json()["detail"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"at": "24:00"}, "at"),
        ({"zone": "Europe/Atlantis"}, "no time zone"),
        ({"zone": "../../etc/passwd"}, "no time zone"),
        ({"days": []}, "days"),
        ({"late_by_h": 24}, "late_by_h"),
    ],
)
def test_a_schedule_that_makes_no_sense_is_refused(calm_service: Service, change: Any, words: str) -> None:
    body = {"name": "x", "fabric": "two-switch", "template": "quick", "schedule": SCHEDULE | change}
    refused = calm_service.as_role("operator").post(CHECKS, json=body)
    assert refused.status_code == 422
    assert words in refused.text


def test_a_profile_that_is_gone_is_a_night_that_could_not_be_run(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    all_in_one_night(monkeypatch)
    operator = with_default_fabric(service).as_role("operator")
    profile = "ibcc_profile: 1\nname: mine\nenable: false\n"
    assert operator.post("/api/v1/profiles", json={"name": "mine", "document": profile}).status_code == 201
    created(operator, document=DOCUMENT.replace("gran-2010", "mine"))
    assert run_night(service, operator)["result"]["state"] == "pass"
    with service.database.writing() as session:
        from api.database.models.profile import StoredProfile

        session.delete(session.get_one(StoredProfile, "mine"))
    job = run_night(service, operator)
    assert job["state"] == "done"
    assert job["result"]["state"] == "could not be run"
    assert "There is no profile 'mine'." in job["result"]["headline"]
    last = seen(operator)["last"]
    assert (last["verdict"], last["runs"]) == ("pass", 2), "the run in which something was observed counts"


def test_a_night_of_a_fabric_that_was_deleted_cannot_be_run(service: Service) -> None:
    operator = with_default_fabric(service).as_role("operator")
    created(operator)
    with service.database.writing() as session:
        session.delete(session.get_one(Fabric, "two-switch"))
    refused = operator.post(f"{CHECKS}/site/run", headers=once())
    assert refused.status_code == 409
    assert "was deleted" in refused.json()["detail"]
    assert seen(operator)["state"] == "idle"


class TestSchedule:
    def test_a_night_begins_by_itself_once_whichever_server_looks(
        self, any_service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        operator = with_default_fabric(any_service).as_role("operator")
        clock = Clock(monkeypatch, at(0))
        assert created(operator, schedule=SCHEDULE)["next_run"] == "2026-01-02T01:17:00.000Z"
        clock.moment = at(1, 17)
        begun: list[str] = []
        servers = [Database(any_service.settings.database) for _ in range(3)]

        def tick(database: Database) -> None:
            begun.extend(CheckScheduler(database, clock=clock).tick())

        threads = [threading.Thread(target=tick, args=(database,)) for database in servers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for database in servers:
            database.close()
        (job,) = begun
        queued = seen(operator)
        assert (queued["state"], queued["job"], queued["last"]["by"]) == ("queued", job, "schedule")
        assert queued["next_run"] == "2026-01-03T01:17:00.000Z"
        assert run_jobs(any_service, operator, job)["state"] == "done"
        night = seen(operator)["last"]
        assert (night["date"], night["late"], night["state"]) == ("2026-01-02", False, "done")
        clock.moment = at(1, 16)
        assert CheckScheduler(any_service.database, clock=clock).tick() == []
        clock.moment = at(1, 18)
        assert CheckScheduler(any_service.database, clock=clock).tick() == []

    def test_a_schedule_that_fails_keeps_no_other_check_from_its_night(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        operator = with_default_fabric(service).as_role("operator")
        clock = Clock(monkeypatch, at(0))
        created(operator, name="a-broken", schedule=SCHEDULE)
        created(operator, name="sound", schedule=SCHEDULE)
        clock.moment = at(1, 17)

        def failing(session: Session, name: str, moment: datetime) -> Job | None:
            if name == "a-broken":
                raise KeyError("zone")
            return nights.run_agenda(session, name, moment)

        monkeypatch.setattr("api.background.check_scheduler.run_agenda", failing)
        (job,) = CheckScheduler(service.database, clock=clock).tick()
        assert operator.get(f"{CHECKS}/sound").json()["job"] == job

    def test_nights_while_no_server_ran_are_run_late_or_missed(self, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        operator = with_default_fabric(service).as_role("operator")
        clock = Clock(monkeypatch, at(0))
        created(operator, schedule=SCHEDULE)
        clock.moment = at(5, 0, day=5)
        (job,) = CheckScheduler(service.database, clock=clock).tick()
        found = {night["date"]: night for night in seen(operator, "/nights")["items"]}
        assert [found[f"2026-01-0{day}"]["state"] for day in (2, 3, 4, 5)] == ["missed", "missed", "missed", "queued"]
        assert found["2026-01-05"]["late"]
        assert found["2026-01-03"]["headline"].startswith("it was not run in time")
        run_jobs(service, operator, job)
        with service.database.reading() as session:
            kinds = [event.kind for event in session.query(Event).filter(Event.topic == "checks")]
        assert kinds.count("check.missed") == 3

    def test_a_night_that_no_worker_took_in_time_is_missed(self, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        operator = with_default_fabric(service).as_role("operator")
        clock = Clock(monkeypatch, at(0))
        created(operator, schedule=SCHEDULE)
        clock.moment = at(1, 17)
        (job,) = CheckScheduler(service.database, clock=clock).tick()
        clock.moment = at(8)
        assert CheckScheduler(service.database, clock=clock).tick() == []
        last = seen(operator)["last"]
        assert (last["state"], last["headline"]) == ("missed", "No worker was there until it was too late")
        assert operator.get(f"/api/v1/jobs/{job}").json()["state"] == "cancelled"

    def test_a_job_that_comes_back_too_late_measures_nothing(self, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        operator = with_default_fabric(service).as_role("operator")
        clock = Clock(monkeypatch, at(0))
        created(operator, schedule=SCHEDULE)
        clock.moment = at(1, 17)
        (job,) = CheckScheduler(service.database, clock=clock).tick()
        clock.moment = at(8)
        assert run_jobs(service, operator, job)["result"] == {"state": "missed"}
        assert seen(operator)["last"]["state"] == "missed"

    def test_a_clock_that_went_back_runs_nothing_before_the_last_night(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        operator = with_default_fabric(service).as_role("operator")
        clock = Clock(monkeypatch, at(0))
        created(operator, schedule=SCHEDULE)
        add_night(service, date(2026, 2, 1))
        clock.moment = at(1, 17)
        assert CheckScheduler(service.database, clock=clock).tick() == []
        refused = operator.post(f"{CHECKS}/site/run", headers=once())
        assert refused.status_code == 409
        assert "has the night of 2026-02-01; set the clock, or delete that night" in refused.json()["detail"]
        assert operator.delete(f"{CHECKS}/site/nights/2026-02-01").status_code == 204
        assert len(CheckScheduler(service.database, clock=clock).tick()) == 1

    def test_a_schedule_that_is_switched_off_begins_nothing(self, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        operator = with_default_fabric(service).as_role("operator")
        clock = Clock(monkeypatch, at(0))
        created(operator, schedule=SCHEDULE)
        assert put(operator, "/schedule", SCHEDULE | {"enabled": False}).json()["next_run"] is None
        clock.moment = at(12, day=9)
        assert CheckScheduler(service.database, clock=clock).tick() == []
        assert put(operator, "/schedule", SCHEDULE).status_code == 200
        assert CheckScheduler(service.database, clock=clock).tick() == []
        assert seen(operator, "/nights")["items"] == [], "nights of the time without a schedule are not missed"


def test_the_thread_goes_on_after_what_is_wrong_with_one_check(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    operator = with_default_fabric(service).as_role("operator")
    clock = Clock(monkeypatch, at(0))
    created(operator, schedule=SCHEDULE)
    clock.moment = at(1, 17)
    failures, begun = [ZeroDivisionError(), SQLAlchemyError("the database is away")], threading.Event()
    tick = CheckScheduler.tick

    def sometimes(scheduler: CheckScheduler) -> list[str]:
        if failures:
            raise failures.pop()
        jobs = tick(scheduler)
        begun.set()
        return jobs

    monkeypatch.setattr(CheckScheduler, "tick", sometimes)
    scheduler = CheckScheduler(service.database, interval_s=0.01, clock=clock)
    scheduler.start()
    try:
        assert begun.wait(30)
    finally:
        scheduler.stop()
    assert seen(operator)["state"] == "queued"
    refused = service.as_role("admin").delete("/api/v1/fabrics/two-switch", headers={"If-Match": "*"})
    assert (refused.status_code, "Check 'site' is queued on fabric" in refused.json()["detail"]) == (409, True)


class TestOneAtATime:
    def test_a_second_check_of_the_fabric_waits(self, service: Service) -> None:
        operator = with_default_fabric(service).as_role("operator")
        for name in ("first", "second"):
            created(operator, name)
            assert operator.post(f"{CHECKS}/{name}/run", headers=once()).status_code == 202
        with service.database.writing() as session:
            taken = lease.take(session, "elsewhere|1|1|x", "both", 60)
            assert taken is not None
            assert lease.take(session, "elsewhere|1|1|x", "both", 60) is None
        waiting = seen(operator, "", "second")
        assert (waiting["state"], waiting["actions"][0]) == ("queued", "cancel")
        assert waiting["problem"] == "Check 'first' measures on fabric 'two-switch'; this check starts after it."

    @pytest.mark.parametrize("when_busy", ["wait", "skip"])
    def test_a_check_waits_for_a_campaign_or_skips_the_night(
        self, service: Service, monkeypatch: pytest.MonkeyPatch, when_busy: str
    ) -> None:
        operator = with_default_fabric(service).as_role("operator")
        self._campaign(service, operator)
        clock = Clock(monkeypatch, at(0))
        created(operator, schedule=SCHEDULE | {"when_busy": when_busy})
        clock.moment = at(1, 17)
        scheduler = CheckScheduler(service.database, clock=clock)
        assert len(scheduler.tick()) == 1
        scheduler.tick()
        last = seen(operator)["last"]
        words = "Campaign 'short' of operator measured on fabric 'two-switch'"
        if when_busy == "skip":
            assert (last["state"], last["headline"]) == ("missed", words)
            return
        assert last["state"] == "queued"
        assert "Campaign 'short' of operator measures on" in seen(operator)["problem"]
        clock.moment = at(8)
        scheduler.tick()
        last = seen(operator)["last"]
        assert (last["state"], last["headline"]) == ("missed", f"{words} until it was too late")

    def test_a_campaign_waits_for_a_check(self, service: Service) -> None:
        operator = with_default_fabric(service).as_role("operator")
        created(operator)
        operator.post(f"{CHECKS}/site/run", headers=once())
        with service.database.writing() as session:
            assert lease.take(session, "elsewhere|1|1|x", "both", 60) is not None
        campaign = self._campaign(service, operator, state="queued")
        document = operator.get(f"/api/v1/campaigns/{campaign}").json()
        assert document["problem"] == "Check 'site' measures on fabric 'two-switch'; this one starts after it."
        with service.database.writing() as session:
            assert lease.take(session, "elsewhere|1|1|x", "both", 60) is None

    @staticmethod
    def _campaign(service: Service, operator: TestClient, state: str = "running") -> str:
        """A campaign that measures on the fabric itself, or waits to."""
        from api.access.principal import system
        from api.database.models.campaign import StoredCampaign

        campaign: str = campaign_created(operator)["id"]
        with service.database.writing() as session:
            row = session.get_one(StoredCampaign, campaign)
            job = enqueue(session, system("test"), "campaign", {"campaign": campaign}, fabric="two-switch")
            job.state, row.state, row.job = state, state, job.id
            job.lease_until = datetime.now(UTC) + timedelta(hours=1)
            row.spec = row.spec | {"backend": "emulated"}
        return campaign


def test_cancelling_keeps_nothing_of_the_night(service: Service) -> None:
    operator = with_default_fabric(service).as_role("operator")
    created(operator)
    operator.post(f"{CHECKS}/site/run", headers=once())
    assert operator.post(f"{CHECKS}/site/cancel").json()["state"] == "cancelled"
    last = seen(operator)["last"]
    assert (last["state"], last["verdict"], last["headline"]) == ("cancelled", None, "it was cancelled")
    assert seen(operator)["state"] == "idle"


def test_a_night_of_a_baseline_is_not_deleted(service: Service) -> None:
    operator = with_default_fabric(service).as_role("operator")
    created(operator)
    made_up(service, [1.0] * 6, first=date(2026, 1, 1))
    operator.post(f"{CHECKS}/site/baseline", json={"first": "2026-01-02"})
    assert operator.delete(f"{CHECKS}/site/nights/2026-01-03").status_code == 409
    assert operator.delete(f"{CHECKS}/site/nights/2026-01-01").status_code == 204
    assert [one["in_baseline"] for one in seen(operator, "/nights")["items"]] == [True] * 5
    assert operator.get(f"{CHECKS}/site/nights/2026-01-01").status_code == 404


def test_a_baseline_is_undone_once(service: Service) -> None:
    operator = with_default_fabric(service).as_role("operator")
    created(operator)
    assert operator.get(f"{CHECKS}/site/baseline").status_code == 404
    too_few = operator.post(f"{CHECKS}/site/baseline", json={"last": 5})
    assert (too_few.status_code, "needs at least 5" in too_few.json()["detail"]) == (422, True)
    made_up(service, [1.0] * 8, first=date(2026, 1, 1))
    for last in (5, 6):
        assert operator.post(f"{CHECKS}/site/baseline", json={"last": last}).status_code == 200
    assert seen(operator, "/baseline")["former"]["nights"] == 5
    assert len(operator.delete(f"{CHECKS}/site/baseline").json()["nights"]) == 5
    assert operator.delete(f"{CHECKS}/site/baseline").status_code == 409


def test_nights_are_listed_by_pages_and_dates(service: Service) -> None:
    operator = with_default_fabric(service).as_role("operator")
    created(operator)
    made_up(service, [1.0] * 9, first=date(2026, 1, 1))
    page = seen(operator, "/nights", limit=4, before="2026-01-08")
    assert [night["date"][-1] for night in page["items"]] == ["7", "6", "5", "4"]
    more = seen(operator, "/nights", limit=4, before="2026-01-08", since="2026-01-02", cursor=page["next_cursor"])
    assert [night["date"][-1] for night in more["items"]] == ["3", "2"]


def test_a_deleted_check_leaves_nothing(service: Service) -> None:
    operator = with_default_fabric(service).as_role("operator")
    created(operator)
    made_up(service, [1.0] * 2, first=date(2026, 1, 1))
    assert operator.delete(f"{CHECKS}/site", headers={"If-Match": "*"}).status_code == 204
    with service.database.reading() as session:
        assert session.query(CheckNight).count() == 0
        assert session.query(Job).count() == 0
    created(operator)
    assert seen(operator, "/nights")["items"] == []
