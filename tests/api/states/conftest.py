# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A service with a second person, and campaigns, jobs, promotions, checks and answers in any state."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import delete, select, update

from api.access.principal import system
from api.access.roles import Role
from api.base.identifiers import new_id
from api.base.times import now
from api.configuration.settings import Settings
from api.database.models.campaign import StoredCampaign
from api.database.models.check import CheckAnswer, CheckRun, StoredCheck
from api.database.models.fabric_import import FabricImport, ImportFile
from api.database.models.job import Job
from api.database.models.promotion import Promotion
from api.queue.table import enqueue
from api.services.fabric_imports import IMPORT_JOB
from api.states.campaigns import AT_WORK, ENDED
from tests.api import check_service as checks
from tests.api.campaign_service import CAMPAIGNS, SHORT, created
from tests.api.fabric_service import FABRIC, once, with_default_fabric
from tests.api.import_service import PAIR
from tests.api.jobs.kinds import registered
from tests.api.service import Service
from tuner.documents import catalogue

API = "/api/v1"
CHANGED = {"name": "changed", "fabric": "two-switch", "template": "scenario-1", "settings": SHORT}
"""A draft's new content."""


class Site:
    """People: a viewer, two operators and an admin. The operator `operator` has asked for all promotions."""

    def __init__(self, service: Service) -> None:
        self.service = with_default_fabric(service)
        self.people = {role.value: service.as_role(role) for role in Role}
        self.people["second"] = self._second()
        self._draft = created(self.people["operator"])["id"]
        self._promotion = self.asked(self.people["operator"])
        self._check = self._made_check(self.people["operator"])

    def campaign(self, state: str) -> str:
        """A campaign in that state, with the job that belongs to it."""
        with self.service.database.writing() as session:
            row: StoredCampaign = self._copy(session.get_one(StoredCampaign, self._draft), StoredCampaign, state=state)
            if state != "draft":
                job = enqueue(session, system("test"), "campaign", {"campaign": row.id}, fabric=row.fabric)
                job.state = {"queued": "queued", "waiting": "queued"}.get(state, "running" if state in AT_WORK else "done")
                row.job, row.started_at = job.id, now()
                row.requested_action = "pause" if state == "pausing" else None
            row.ended_at = now() if state in ENDED else None
            session.add(row)
            return row.id

    def job(self, state: str) -> str:
        with self.service.database.writing() as session:
            job = enqueue(session, system("test"), "test-steps", {}, fabric="two-switch")
            job.state = state
            return job.id

    def promotion(self, state: str) -> str:
        with self.service.database.writing() as session:
            session.execute(delete(Job))  # a job that works on the fabric would be in the way
            # And so would one that asks for the same already, where one is asked for again.
            session.execute(update(Promotion).values(state="rejected"))
            row: Promotion = self._copy(session.get_one(Promotion, self._promotion), Promotion, state=state)
            session.add(row)
            return row.id

    def check(self, state: str) -> str:
        """A check in that state, with a baseline and a former one, and the nights of both."""
        name = f"check-{new_id()[-12:]}"
        with self.service.database.writing() as session:
            session.add(self._copy(session.get_one(StoredCheck, self._check), StoredCheck, name=name))
            session.flush()
            for run in session.scalars(select(CheckRun).where(CheckRun.check == self._check)):
                session.add(self._copy(run, CheckRun, check=name))
            if state != "idle":
                job = enqueue(session, system("test"), "check", {"check": name, "date": "2026-01-06"}, fabric="two-switch")
                job.state = state
                session.get_one(StoredCheck, name).job = job.id
        return name

    def _made_check(self, operator: TestClient) -> str:
        name: str = checks.created(operator, "model")["name"]
        checks.made_up(self.service, [1.0] * 6, first=date(2026, 1, 1), name=name)
        for _ in range(2):
            assert operator.post(f"{API}/checks/{name}/baseline", json={"last": 5}).status_code == 200
        return name

    def answer(self, state: str) -> tuple[str, str]:
        """The check, and its answer in that state, which has drafted nothing and changed nothing on the fabric."""
        name = self.check("idle")
        with self.service.database.writing() as session:
            session.execute(delete(Job))
            what = {"check": name, "fabric": "two-switch", "night": date(2026, 1, 6), "answer": "reapply"}
            answer = CheckAnswer(id=new_id(), cause="x at y", sentence="z", **what)
            arguments = {"fabric": "two-switch", "answer": answer.id, "action": "reapply"}
            job = enqueue(session, system("test"), "check_answer", arguments, fabric="two-switch")
            job.state = {"waiting": "queued", "running": "running", "failed": "failed"}.get(state, "done")
            job.not_before = now() + timedelta(hours=1) if state == "waiting" else None
            answer.job = job.id
            if state == "undoing":
                undo = enqueue(session, system("test"), "check_answer", arguments, fabric="two-switch")
                undo.state, answer.undo_job = "running", undo.id
            answer.undone_at = now() if state == "undone" else None
            session.add(answer)
            session.flush()
            return name, answer.id

    def fabric_import(self, state: str) -> str:
        """An import in that state, with the job that belongs to it."""
        what = {"source": "file", "source_name": "pair.txt", "options": {"mtu_bytes": 4096, "routing": None}}
        with self.service.database.writing() as session:
            row = FabricImport(state=state, name=f"fabric-{new_id()[-12:]}", created_by="test", **what)
            row.expires_at = now() + timedelta(days=1)
            row.document = catalogue.find("fabric", "two-switch").read_text() if state == "ready" else None
            session.add(row)
            session.flush()
            session.add(ImportFile(import_id=row.id, part="topology", name="pair.txt", content=PAIR.encode()))
            job = enqueue(session, system("test"), IMPORT_JOB, {"import": row.id})
            job.state = {"reading": "queued", "failed": "failed", "cancelled": "cancelled"}.get(state, "done")
            row.job = job.id
            return row.id

    def act_on_import(self, client: TestClient, one: str, action: str) -> int:
        """Does what the name in `actions` says to an import."""
        path = f"{API}/fabric-imports/{one}"
        if action == "discard":
            return client.delete(path).status_code
        body = {"fabric": {"name": f"fabric-{new_id()[-12:]}"}} if action == "keep" else None
        return client.post(f"{path}/{action}", json=body).status_code

    def act_on_check(self, client: TestClient, name: str, action: str) -> int:
        """Does what the name in `actions` says to a check."""
        path, match = f"{API}/checks/{name}", {"If-Match": "*"}
        match action:
            case "run" | "cancel":
                return self.post(client, f"/checks/{name}/{action}")
            case "accept":
                return client.post(f"{path}/baseline", json={"last": 5}).status_code
            case "undo_accept":
                return client.delete(f"{path}/baseline").status_code
            case "decide":
                return client.post(f"{path}/decisions", json={"kind": "gone", "place": "node17", "because": "lab"}).status_code
            case "delete":
                return client.delete(path, headers=match).status_code
        bodies: dict[str, tuple[str, Any]] = {
            "change": ("", {"document": checks.DOCUMENT}),
            "schedule": ("/schedule", checks.SCHEDULE),
            "set_policy": ("/policy", {"rules": []}),
        }
        part, body = bodies[action]
        return client.put(f"{path}{part}", json=body, headers=match).status_code

    def post(self, client: TestClient, path: str, body: Any = None) -> int:
        """The status of the answer, which is the state's or the role's refusal if it is one."""
        answer = client.post(f"{API}{path}", json=body, headers=once())
        assert answer.status_code in (200, 201, 202, 403, 409), answer.text
        return answer.status_code

    def act(self, client: TestClient, campaign: str, action: str) -> int:
        """Does what the name in `actions` says to a campaign."""
        if action == "delete":
            return client.delete(f"{CAMPAIGNS}/{campaign}", headers={"If-Match": "*"}).status_code
        if action == "change":
            return client.put(f"{CAMPAIGNS}/{campaign}", json=CHANGED, headers={"If-Match": "*"}).status_code
        bodies = {"finish": {"confirm": True}, "clone": {"name": "copy"}, "extend": {"trials": 1000}}
        name = "stop" if action == "finish" else action
        return self.post(client, f"/campaigns/{campaign}/{name}", bodies.get(action, {}))

    @staticmethod
    def _copy(row: Any, model: Any, **changes: Any) -> Any:
        values = {column.key: getattr(row, column.key) for column in model.__mapper__.column_attrs}
        fresh = {"id": new_id()} if "id" in values else {}
        return model(**(values | fresh | changes))

    def _second(self) -> TestClient:
        client = self.service.anonymous()
        token = self.service.add_token(self.service.add_person(Role.OPERATOR, "second"), Role.OPERATOR)
        client.headers["Authorization"] = f"Bearer {token}"
        return client

    def asked(self, client: TestClient) -> str:
        """A promotion that waits for approval."""
        plan = client.post(f"{FABRIC}/plan", json={"profile": "gran-2010"}).json()
        body = {"fabric": "two-switch", "profile": "gran-2010", "version": 1, "plan_digest": plan["digest"]}
        answer = client.post(f"{API}/promotions", json=body, headers=once())
        assert answer.json()["state"] == "pending", answer.text
        return str(answer.json()["id"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """For a module: each test makes campaigns, jobs and promotions of its own."""
    folder = tmp_path_factory.mktemp("states") / "state"
    service = Service(Settings(state_folder=folder, workers=0, inventory_programs=True, second_person=True))
    with registered():
        yield Site(service)
    service.close()
