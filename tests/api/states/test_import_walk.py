# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A random walk over imports: people upload, reread, cancel, keep and discard, while workers read, fail and are lost, and time
passes. Before each act `actions` is read: what it offers is done, and what it does not is refused. After each step all that must
hold of imports, their jobs and the fabrics' versions is looked at."""

import random
import threading
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select

from api.base.times import now
from api.configuration.settings import Settings
from api.database.models.fabric import Fabric
from api.database.models.fabric_import import FabricImport, FabricVersion, ImportFile
from api.database.models.job import Job
from api.jobs import lease
from api.jobs.kinds.fabric_import import _store
from api.queue.context import JobContext
from api.queue.kind import give_up
from api.services import fabric_imports
from api.services.fabric_versions import wiring_of
from api.states.imports import DRAFTS, IMPORTS
from api.states.jobs import PENDING
from tests.api.import_service import FILE, PAIR
from tests.api.import_service import IMPORTS as PATH
from tests.api.service import Service
from tuner.documents import catalogue
from tuner.fabric.reading import Reading

WORKER = "elsewhere|1|1|x"
STEPS = 250
NAMES = ("one", "two")
DOCUMENTS = [catalogue.find("fabric", name).read_text() for name in ("two-switch", "two-switch-16")]
PREVIEW = {
    "format": "ibnetdiscover",
    "mtu_bytes": 4096,
    "routing": "minhop",
    "counts": dict.fromkeys(("switches", "hosts", "aggregation_nodes", "routers", "links"), 1),
    "levels": [],
    "rates": [],
    "warnings": [],
    "notes": [],
    "equal_names": [],
    "ports": {"switches": 0, "hosts": 0},
    "differences": None,
}


class Reasons:
    def __init__(self) -> None:
        self.stop, self.cancelled = threading.Event(), threading.Event()


class Walk:
    def __init__(self, service: Service, seed: int) -> None:
        self.service, self.chance = service, random.Random(seed)
        self.client = service.as_role("admin")
        self.done: Counter[str] = Counter()

    def step(self) -> None:
        self.chance.choices([self.upload, self.act, self.world], [2, 5, 5])[0]()
        self.require_whole()

    def upload(self) -> None:
        target = self.chance.choice([None, *NAMES])
        params = {"fabric": target} if target else {"name": self.chance.choice(NAMES)}
        status = self.client.post(PATH, content=PAIR, params=params, headers=FILE).status_code
        assert status in (202, 404, 409)
        self.done[f"upload {status}"] += 1

    def act(self) -> None:
        known = self.client.get(PATH, params={"limit": 200}).json()["items"]
        if not known:
            return
        one, action = self.chance.choice(known), self.chance.choice(list(IMPORTS.rules))
        path = f"{PATH}/{one['id']}"
        assert one["actions"] == self.client.get(path).json()["actions"]
        if action == "discard":
            status = self.client.delete(path).status_code
        elif action == "reread" and self.chance.random() < 0.5:
            status = self.client.put(f"{path}/routes", content=b"tables", headers=FILE).status_code
        else:
            body = {} if action != "keep" else {"fabric": None if one["fabric"] else {"name": one["name"]}}
            status = self.client.post(f"{path}/{action}", json=body).status_code
        offered = action in one["actions"]
        # The name is taken, the fabric has another version by now, or is gone: `actions` does not know of those.
        elsewhere = action in ("keep", "reread") and status in (404, 409)
        assert (status < 300) == offered or (offered and elsewhere), (one["state"], action, status)
        assert offered or status == 409
        self.done[f"{action} {'done' if status < 300 else 'refused'}"] += 1

    def world(self) -> None:
        """What a worker, another admin, or time does next."""
        what = self.chance.choice(["take", "ready", "ready", "failed", "lost", "delete fabric", "sweep"])
        self.done[what] += 1
        database = self.service.database
        if what == "take":
            with database.writing() as session:
                lease.take(session, WORKER, "both", 600.0)
            return
        if what == "delete fabric" and self.chance.random() < 0.3:
            self.client.delete(f"/api/v1/fabrics/{self.chance.choice(NAMES)}", headers={"If-Match": "*"})
            return
        if what == "sweep":
            with database.writing() as session:
                for row in session.scalars(select(FabricImport)):
                    if self.chance.random() < 0.1:
                        row.expires_at = now() - timedelta(seconds=1)
                session.flush()
                fabric_imports.sweep(session)
            return
        with database.reading() as session:
            running = [
                (job.id, job.arguments["import"], job.cancel_requested)
                for job in session.scalars(select(Job).where(Job.state == "running"))
            ]
        if not running:
            return
        job_id, import_id, cancelled = self.chance.choice(running)
        if what == "ready" and not cancelled:
            context = JobContext(database, self.service.settings, job_id, 1, Reasons(), WORKER)
            _store(context, import_id, Reading(self.chance.choice(DOCUMENTS), PREVIEW), None)
        with database.writing() as session:
            job = session.get_one(Job, job_id)
            if what == "lost":
                job.lease_until = now() - timedelta(seconds=1)
                lease.recover(session)
                return
            job.state = "cancelled" if cancelled else "done" if what == "ready" else "failed"
            job.ended_at, job.worker, job.lease_until = now(), None, None
            job.problem = "no fabric" if job.state == "failed" else None
            if job.state in ("failed", "cancelled"):
                give_up(session, job)

    def require_whole(self) -> None:
        with self.service.database.reading() as session:
            jobs = {job.id: job for job in session.scalars(select(Job))}
            files = Counter(session.scalars(select(ImportFile.import_id)))
            rows = list(session.scalars(select(FabricImport)))
            for row in rows:
                where = f"import {row.id} is {row.state}"
                job = jobs[row.job or ""]
                assert (row.state == "reading") == (job.state in PENDING), f"{where}, its job {job.state}"
                assert (row.document is not None) == (row.state == "ready"), where
                assert (row.problem is not None) == (row.state == "failed"), where
                assert (row.preview is not None) == (row.state in ("ready", "kept")), where
                assert (files[row.id] > 0) == (row.state != "kept"), f"{where} with {files[row.id]} files"
                assert (row.kept_version is not None) == (row.state == "kept"), where
            assert set(files) <= {row.id for row in rows}, "files of an import that is gone"
            assert sum(row.state in DRAFTS for row in rows) <= fabric_imports.MOST_DRAFTS
            for fabric in session.scalars(select(Fabric)).unique():
                last = session.scalar(select(func.max(FabricVersion.version)).where(FabricVersion.fabric == fabric.name))
                present = session.get_one(FabricVersion, (fabric.name, last))
                assert present.wiring == wiring_of(fabric.options), f"the last version of {fabric.name} is not its wiring"
            known = set(session.scalars(select(Fabric.name)))
            assert set(session.scalars(select(FabricVersion.fabric))) <= known, "versions of a fabric that is gone"


@pytest.fixture(scope="module")
def one_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder: Path = tmp_path_factory.mktemp("imports")
    service = Service(Settings(state_folder=folder / "state", workers=0))
    yield service
    service.close()


@pytest.mark.long
def test_a_random_walk(one_service: Service) -> None:
    walk = Walk(one_service, seed=23)
    for _ in range(STEPS):
        walk.step()
    for action in IMPORTS.rules:
        assert walk.done[f"{action} done"], walk.done
        assert walk.done[f"{action} refused"], walk.done
