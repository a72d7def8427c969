# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A random walk: a clock that jumps, two servers with a schedule each, workers that take nights, end them, fail, are lost or die
in between, and people who run, cancel, accept and delete. After each step everything is whole."""

import contextlib
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from api.background.check_scheduler import CheckScheduler
from api.database.models.check import CheckAnswer, CheckNight, CheckRun, StoredCheck
from api.database.models.job import Job
from api.jobs import lease
from api.jobs.kinds import check as check_job
from api.jobs.worker import Worker, _Running
from api.queue.context import JobContext
from api.queue.kind import KINDS as JOB_KINDS
from api.services.checks import answers, creation, documents, nights
from api.services.checks.present import Jobs, stands
from api.states.checks import CHECKS as TABLE
from api.states.jobs import PENDING
from tests.api.check_service import CHECKS, SCHEDULE, created, put, seen
from tests.api.fabric_service import once, with_default_fabric
from tests.api.service import Service
from tuner.checks.fairness_metrics import FAIRNESS_METRICS
from tuner.checks.kind import KINDS, Night
from tuner.checks.observation import Finding, Observation
from tuner.errors import UnreachableError

pytestmark = pytest.mark.long

NAMES = ("a", "b")
LOST = "elsewhere|1|1|x"


class Died(BaseException):
    """The worker's process is no more."""


class Walk:
    def __init__(self, service: Service, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.service, self.chance, self.patch = with_default_fabric(service), random.Random(seed), monkeypatch
        self.now = datetime(2026, 3, 20, 12, tzinfo=UTC)
        for module in (nights, creation, documents, check_job, answers):
            monkeypatch.setattr(module, "now", lambda: self.now)
        self.servers = [CheckScheduler(service.database, clock=lambda: self.now) for _ in range(2)]
        self.people = {role: service.as_role(role) for role in ("viewer", "operator", "admin")}
        self.done: Counter[str] = Counter()
        self.deleted: Counter[tuple[str, str]] = Counter()
        self.outcome = "pass"
        kind = KINDS.get("fairness")
        monkeypatch.setitem(KINDS._variants, "fairness", replace(kind, observe=self.observe))
        for i, name in enumerate(NAMES):
            created(self.people["operator"], name, schedule=SCHEDULE | {"at": f"02:{17 + i}"})
        assert put(self.people["admin"], "/policy", {"rules": [{"answer": "reapply"}]}, "a").status_code == 200

    def observe(self, options: Any, night: Night) -> Observation:
        night.on_progress(0.5)
        if self.outcome == "unreachable":
            raise UnreachableError("there is no plugin; start OpenSM")
        if self.outcome == "died":
            raise Died
        finding = Finding(code="drift", sentence="S1 drifted", place=self.chance.choice("pq"), evidence="e", next_step="n")
        found = (finding,) if self.outcome == "fail" else ()
        return Observation(metrics=((FAIRNESS_METRICS[0], 10 + self.chance.random()),), findings=found)

    def step(self) -> None:
        ways = [self.time, self.tick, self.crashed_tick, self.take_and_work, self.take_and_be_lost, self.recover, self.person]
        self.chance.choices(ways, [3, 5, 2, 5, 2, 2, 3])[0]()
        self.require_whole()

    def time(self) -> None:
        if self.chance.random() < 0.6:
            tonight = datetime.combine(self.now.date() + timedelta(days=1), datetime.min.time(), UTC)
            self.now = tonight + timedelta(hours=1.5, minutes=self.chance.randrange(60))
        else:
            self.now += timedelta(hours=self.chance.choice([0.1, 1, 5, 12, 24, 80, -30, -2]))

    def tick(self) -> None:
        self.done["begun"] += len(self.chance.choice(self.servers).tick())

    def crashed_tick(self) -> None:
        """The server dies in the transaction that begins a night."""

        def dies(*arguments: object) -> None:
            raise Died

        with self.patch.context() as patch:
            patch.setattr(nights, "publish_night", dies)
            try:
                self.chance.choice(self.servers).tick()
            except Died:
                self.done["crashed tick"] += 1

    def take_and_work(self) -> None:
        self.outcome = self.chance.choice(["pass", "pass", "fail", "fail", "unreachable"])
        worker = Worker(self.service.database, self.service.settings, slots=1, place="both")
        job = self._take(worker.identity)
        if job is not None:
            worker._work(_Running(job.id), job)
            self.done[f"{job.kind} {self.outcome}"] += 1

    def take_and_be_lost(self) -> None:
        """Before it begins, while it observes, or when the night is stored already."""
        job = self._take(LOST)
        if job is None:
            return
        when = self.chance.choice(["before", "observing", "stored"])
        self.outcome = {"observing": "died"}.get(when, "pass")
        if when != "before":
            context = JobContext(self.service.database, self.service.settings, job.id, job.attempts, _Running(job.id), LOST)
            with contextlib.suppress(Died):
                JOB_KINDS.get(job.kind).run(context, job.arguments)
        self.done[f"lost {when}"] += 1

    def recover(self) -> None:
        with self.service.database.writing() as session:
            for job in session.scalars(select(Job).where(Job.state == "running")):
                job.lease_until = job.created_at
            session.flush()
            self.done["recovered"] += lease.recover(session)

    def person(self) -> None:
        name, person = self.chance.choice(NAMES), self.chance.choice(list(self.people))
        client = self.people[person]
        before = seen(client, "", name)
        action = self.chance.choice(["run", "cancel", "accept", "undo_accept", "schedule", "delete night"])
        path = f"{CHECKS}/{name}"
        if action == "delete night":
            found = seen(client, "/nights", name)["items"]
            if found:
                night = self.chance.choice(found)["date"]
                if client.delete(f"{path}/nights/{night}").status_code == 204:
                    self.deleted[name, night] += 1
                    self.done[action] += 1
            return
        acts: dict[str, Callable[[], Any]] = {
            "run": lambda: client.post(f"{path}/run", headers=once()),
            "cancel": lambda: client.post(f"{path}/cancel"),
            "accept": lambda: client.post(f"{path}/baseline", json={"last": 5}),
            "undo_accept": lambda: client.delete(f"{path}/baseline"),
            "schedule": lambda: put(client, "/schedule", SCHEDULE | {"late_by_h": self.chance.choice([0, 6, 20])}, name),
        }
        answer = acts[action]()
        offered = action in before["actions"]
        assert answer.status_code in ({200, 202, 409, 422} if offered else {403, 409}), (person, action, answer.text)
        if answer.status_code == 409 and offered:  # a former baseline that there is not; a clock that went back
            assert action in ("undo_accept", "run"), answer.text
        if answer.status_code == 422:
            assert action == "accept", answer.text
        self.done[f"{action} {answer.status_code}"] += 1

    def require_whole(self) -> None:
        with self.service.database.reading() as session:
            checks = {row.name: row for row in session.scalars(select(StoredCheck))}
            jobs = list(session.scalars(select(Job).where(Job.kind == "check")))
            assert sum(job.state == "running" for job in jobs) <= 1, "two at once on a fabric"
            for name, row in checks.items():
                pending = [job.id for job in jobs if job.arguments["check"] == name and job.state in PENDING]
                assert pending in ([], [row.job])
            scheduled = Counter((job.arguments["check"], job.arguments["date"]) for job in jobs if job.created_by == "ibcc")
            for key, count in scheduled.items():
                assert count <= 1 + self.deleted[key], f"{key} was run twice by the schedule"
            found = list(session.scalars(select(CheckNight)))
            present = Jobs(session, [night.job for night in found])
            runs = {(run.check, run.number): run.date for run in session.scalars(select(CheckRun))}
            for night in found:
                state = present.night(night)
                assert (night.number is None) == (night.verdict is None)
                if night.number is not None:
                    assert runs[night.check, night.number] == night.date
                if state in ("missed", "failed", "cancelled"):
                    assert present.why_not(night)
            given = list(session.scalars(select(CheckAnswer)))
            of_answers = Jobs(session, [job for one in given for job in (one.job, one.undo_job)])
            standing = [(one.check, one.answer) for one in given if stands(one, of_answers.answer(one))]
            assert len(set(standing)) == len(standing), "two answers of a kind"

    def drain(self) -> None:
        """Whatever was lost, in the end nothing is at work."""
        self.recover()
        for _ in range(20):
            self.take_and_work()
        for name in NAMES:
            check = seen(self.people["operator"], "", name)
            assert check["state"] == "idle"
            assert check["actions"] == TABLE.actions("operator", "idle")  # type: ignore[arg-type]

    def _take(self, worker: str) -> Job | None:
        with self.service.database.writing() as session:
            return lease.take(session, worker, "both", 600.0)


@pytest.fixture
def walked(service: Service, monkeypatch: pytest.MonkeyPatch) -> Any:
    return lambda seed: Walk(service, seed, monkeypatch)


@pytest.mark.parametrize(("seed", "steps"), [(2, 200), *(pytest.param(n, 400, marks=pytest.mark.slow) for n in range(3, 7))])
def test_nothing_is_run_twice_lost_or_stuck(walked: Any, seed: int, steps: int) -> None:
    walk: Walk = walked(seed)
    for _ in range(steps):
        walk.step()
    walk.drain()
    for what in ("begun", "crashed tick", "recovered", "check pass", "check fail", "run 202"):
        assert walk.done[what], (what, walk.done)
