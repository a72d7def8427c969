# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A random walk: people act on campaigns, jobs and promotions, while workers take jobs, end them, lose them and wait. Before each
act the person reads `actions`: what it offers is done, and what it does not offer is refused."""

import contextlib
import random
import threading
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from api.access.principal import system
from api.access.roles import Role
from api.base.times import now
from api.database.models.campaign import StoredCampaign
from api.database.models.job import Job
from api.jobs import lease
from api.jobs.kinds.campaign import CampaignJob, _settle
from api.queue.context import JobContext, Postponed
from api.queue.kind import give_up
from api.queue.table import enqueue
from api.states.campaigns import AT_WORK, CAMPAIGNS, ENDED
from api.states.jobs import JOBS, PENDING
from api.states.promotions import PROMOTIONS
from api.states.table import Rule
from tests.api.states.conftest import API, Site
from tuner.errors import WindowClosedError

RULES: dict[str, Mapping[Any, Rule]] = {"campaigns": CAMPAIGNS.rules, "jobs": JOBS.rules, "promotions": PROMOTIONS.rules}
STEPS = 300
WORKER = "elsewhere|1|1|x"


class Reasons:
    def __init__(self) -> None:
        self.stop, self.cancelled = threading.Event(), threading.Event()


class Walk:
    def __init__(self, site: Site, seed: int) -> None:
        self.site, self.chance = site, random.Random(seed)
        self.done: Counter[str] = Counter()
        self.campaigns = [site.campaign("draft") for _ in range(3)]
        self.promotions = [site.promotion("pending") for _ in range(3)]
        with site.service.database.writing() as session:
            self.jobs = [enqueue(session, system("test"), "test-steps", {}, fabric="two-switch").id]

    def step(self) -> None:
        self.chance.choices([self.campaign, self.job, self.promotion, self.world], [5, 1, 1, 4])[0]()
        self.require_whole()

    def campaign(self) -> None:
        campaign, action = self.chance.choice(self.campaigns), self.chance.choice(list(CAMPAIGNS.rules))
        if action == "delete" and self.chance.random() < 0.7:
            return
        status = self._act("campaigns", campaign, action, lambda client: self.site.act(client, campaign, action))
        if action == "delete" and status == 204:
            self.campaigns.remove(campaign)
            self.campaigns.append(self.site.campaign("draft"))

    def job(self) -> None:
        with self.site.service.database.reading() as session:
            known = [job.id for job in session.scalars(select(Job))]
        if known:
            job = self.chance.choice(known)
            self._act("jobs", job, "cancel", lambda client: self.site.post(client, f"/jobs/{job}/cancel"))

    def promotion(self) -> None:
        promotion, action = self.chance.choice(self.promotions), self.chance.choice(list(PROMOTIONS.rules))
        self._act("promotions", promotion, action, lambda client: self.site.post(client, f"/promotions/{promotion}/{action}", {}))

    def _act(self, kind: str, identifier: str, action: str, act: Any) -> int:
        person = self.chance.choice(list(self.site.people))
        client = self.site.people[person]
        before = client.get(f"{API}/{kind}/{identifier}").json()
        status: int = act(client)
        offered = action in before["actions"]
        assert (status < 300) == offered or self._is_busy(kind, action, offered), (before["state"], person, action, status)
        if not offered:
            rule = RULES[kind][action]
            role = Role.OPERATOR if person == "second" else Role(person)
            in_state = before["state"] in rule.states
            assert status == (409 if role.covers(rule.role) and not in_state else 403), (before["state"], person, action, status)
        self.done[f"{kind} {action} {'done' if status < 300 else 'refused'}"] += 1
        return status

    def _is_busy(self, kind: str, action: str, offered: bool) -> bool:
        """An approval waits for other jobs of the fabric; `actions` does not know of those."""
        return offered and kind == "promotions" and action == "approve"

    def world(self) -> None:
        """What a worker does next: it takes a job, or something becomes of one that it has."""
        database = self.site.service.database
        with database.writing() as session:
            running = [job.id for job in session.scalars(select(Job).where(Job.state == "running"))]
        if not running or self.chance.random() < 0.4:
            with database.writing() as session:
                job = lease.take(session, WORKER, "both", 600.0)
            if job is not None and job.kind == "campaign":
                self._begin(job)
            return
        with database.writing() as session:
            job = session.get_one(Job, self.chance.choice(running))
            row = session.scalars(select(StoredCampaign).where(StoredCampaign.job == job.id)).one_or_none()
            if row is None:
                self._end(session, job, self.chance.choice(["done", "failed"]))
                return
            if job.cancel_requested:
                self._end(session, job, "cancelled")
                return
            if row.requested_action in ("pause", "stop"):
                _settle(session, row, "paused" if row.requested_action == "pause" else "stopped")
                self._end(session, job, "done")
                return
            what = self.chance.choice(["finished", "failed", "lost", "window"])
            self.done[what] += 1
            if what == "finished":
                row.state, row.ended_at, row.requested_action = "finished", now(), None
                self._end(session, job, "done")
            elif what == "failed":
                self._end(session, job, "failed")
            elif what == "lost":
                job.lease_until = now() - timedelta(seconds=1)
                lease.recover(session)
        if what == "window":
            opens = WindowClosedError("outside its maintenance windows", opens_at=now() + timedelta(hours=1))
            with contextlib.suppress(Postponed):
                CampaignJob()._await_window(self._context(job), row.id, opens)
            with database.writing() as session:  # an hour later
                session.get_one(Job, job.id).not_before = None

    def _begin(self, job: Job) -> None:
        facts = CampaignJob()._begin(self._context(job), job.arguments["campaign"])
        if isinstance(facts, dict):
            with self.site.service.database.writing() as session:
                self._end(session, session.get_one(Job, job.id), "done")

    def _context(self, job: Job) -> JobContext:
        return JobContext(self.site.service.database, self.site.service.settings, job.id, 1, Reasons(), WORKER)

    @staticmethod
    def _end(session: Session, job: Job, state: str) -> None:
        job.state, job.ended_at, job.worker, job.lease_until = state, now(), None, None
        job.problem = "it failed" if state == "failed" else None
        if state in ("failed", "cancelled"):
            give_up(session, job)

    def require_whole(self) -> None:
        """What holds between steps."""
        with self.site.service.database.reading() as session:
            for row in session.scalars(select(StoredCampaign).where(StoredCampaign.id.in_(self.campaigns))):
                job = None if row.job is None else session.get(Job, row.job)
                assert (row.ended_at is not None) == (row.state in ENDED), row.state
                if row.state in AT_WORK:
                    assert job is not None
                    assert job.state in PENDING, (row.state, job.state)
                else:
                    assert job is None or job.state not in PENDING or job.cancel_requested, (row.state, job.state)
                assert row.requested_action is None or row.state in AT_WORK, (row.state, row.requested_action)
                if row.state == "pausing":
                    assert row.requested_action in ("pause", "stop")


@pytest.mark.long
@pytest.mark.parametrize("seed", [pytest.param(3, marks=pytest.mark.slow), 4])
def test_actions_are_never_wrong(site: Site, seed: int) -> None:
    walk = Walk(site, seed)
    for _ in range(STEPS):
        walk.step()
    done = {what for what in walk.done if what.endswith(" done")}
    assert len(done) >= 9, walk.done
    assert {"finished", "failed", "lost", "window"} <= set(walk.done), walk.done
