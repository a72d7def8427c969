# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Where the service keeps its files is in no answer, to nobody; what an admin typed, such as a socket, only admins are told.

Everything fails first that can fail with a path in its sentence, and then every operation is called with every role."""

import re
import sys
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from api.access.audit import record_audit
from api.access.principal import system
from api.access.roles import Role
from api.base.times import now
from api.configuration.settings import Settings
from api.database.models.audit_entry import AuditEntry
from api.database.models.campaign import StoredCampaign
from api.database.models.event import Event
from api.database.models.job import Job
from api.database.models.promotion import Promotion
from api.queue.table import enqueue
from api.services.fabric_hosting import FabricHosting
from api.services.fabric_routing import FOLDER
from tests.api.answer_cases import API, World, operations
from tests.api.campaign_service import CAMPAIGNS, created
from tests.api.fabric_service import once, run_jobs
from tests.api.service import Service

pytestmark = pytest.mark.thorough

TYPED = "/run/ibcc-of-this-site/opensm.sock"
TYPED_TOO = "/run/ibcc-of-this-site/second.sock"
ELSEWHERE = "/disk-of-another-machine/ibcc/opensm.sock"
PLACES = re.compile(r"(?<![\w.…~-])/+(?:disk-of-another-machine|tmp|run|usr|etc|var|home|opt|srv|proc|root)/[\w.]")

TOLD_TO_OPERATORS = {"get_inventory"}
"""The text of an inventory, which operators read as an admin wrote it."""


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[World, dict[str, Any]]]:
    """A service in which everything has failed, and the identifiers of what has."""
    folder = tmp_path_factory.mktemp("places")
    service = Service(Settings(state_folder=folder / "the state", workers=0))
    world = World(service)
    operator, admin = world.clients[Role.OPERATOR], world.clients[Role.ADMIN]
    site = {"name": "site", "kind": "plugin", "options": {"socket": TYPED, "other_sockets": [TYPED_TOO], "fabric": "two-switch"}}
    assert admin.post(f"{API}/fabrics", json=site).status_code == 201
    far = {"name": "far", "kind": "plugin", "options": {"socket": ELSEWHERE, "fabric": "two-switch"}}
    assert admin.post(f"{API}/fabrics", json=far).status_code == 201
    lab = {"name": "lab", "kind": "emulated", "options": {"fabric": "two-switch"}}
    assert admin.post(f"{API}/fabrics", json=lab).status_code == 201
    FabricHosting(service.database)._record("lab", {"problem": f"opensm ended: {folder}/the state/x, /usr/sbin/opensm, /tmp/z"})
    campaign = created(operator, name="broken", fabric="pair")
    with service.database.writing() as session:
        for job in session.scalars(select(Job)):  # what the world waits for stays in the queue
            job.not_before = now() + timedelta(days=1)
        # As if a file of the campaign's had been spoilt since it was checked.
        row = session.get_one(StoredCampaign, campaign["id"])
        row.files = row.files | {"campaign.json": row.files["campaign.json"].replace("scenario-1", "./workloads/w.json")}
        row.files |= {"workloads/w.json": "{"}
        verify = enqueue(session, system("test"), "verify", {"fabric": "site", "owner": "x"}, fabric="site").id
        empty = {"document": "", "plan_digest": "", "plan": {}, "comment": "", "created_by": "x", "created_by_id": "x"}
        gone = f"the socket {TYPED} is gone"
        promotion = Promotion(fabric="site", profile="off", version=1, state="failed", problem=gone, **empty)
        session.add(promotion)
        record_audit(session, system("test"), "test", "x", fabric="site", detail={"problem": f"{folder}/the state/ibcc.db"})
    started = operator.post(f"{CAMPAIGNS}/{campaign['id']}/start", headers=once())
    assert started.status_code == 202, started.text
    assert run_jobs(service, admin, verify)["state"] == "failed"
    assert run_jobs(service, admin, started.json()["job"])["state"] == "failed"
    yield world, {"campaign": campaign["id"], "jobs": [verify, started.json()["job"]], "promotion": promotion.id}
    service.close()


def answers(world: World, what: dict[str, Any], role: Role) -> Iterator[tuple[str, str]]:
    """What each operation says to that role of what has failed; and of what is there."""
    client = world.service.as_role(role)
    for operation in sorted(operations(world.service), key=lambda one: one.method != "get"):
        if operation.name == "stream_events":
            continue
        changes: list[dict[str, Any]] = [{}]
        names = {one["name"] for one in operation.parameters("path")}
        if "fabric" in names:
            changes = [{"path": {"fabric": name}} for name in ("site", "far", "lab", "two-switch")]
        elif "campaign_id" in names:
            changes.append({"path": {"campaign_id": what["campaign"]}})
        elif "job_id" in names:
            changes += [{"path": {"job_id": job}} for job in what["jobs"]]
        elif "promotion_id" in names:
            changes.append({"path": {"promotion_id": what["promotion"]}})
        elif operation.has_body and "fabric" in (operation.example or {}):
            changes = [{"json": operation.example | {"fabric": name}} for name in ("site", "far", "lab")]
        for change in changes:
            if operation.method == "delete" and names & {"fabric", "campaign_id", "user_id"}:
                continue  # others are still to look at it
            answer = world.send(operation, client, **change)
            yield f"{operation.name} {change} {answer.status_code}", answer.text


def test_what_failed_says_why_without_them(failed: tuple[World, dict[str, Any]]) -> None:
    world, what = failed
    viewer, admin = world.service.as_role("viewer"), world.service.as_role("admin")
    assert viewer.get(f"{CAMPAIGNS}/{what['campaign']}").json()["problem"].startswith("workloads/w.json:2: ")
    assert viewer.get(f"{API}/jobs/{what['jobs'][0]}").json()["problem"].startswith("there is no OpenSM plugin at …/opensm.sock")
    for client, place in ((viewer, "…/opensm.sock"), (admin, TYPED)):
        assert place in client.get(f"{API}/fabrics/site/state").json()["reason"]
    assert admin.get(f"{API}/fabrics/site").json()["options"]["socket"] == TYPED
    assert "socket" not in viewer.get(f"{API}/fabrics/site").json()["options"]
    assert "opensm.sock" not in viewer.get(f"{API}/fabrics").text
    assert "opensm ended: …/x, …/opensm, …/z" in viewer.get(f"{API}/fabrics/lab/state").json()["reason"]


@pytest.mark.long
@pytest.mark.parametrize(
    "role", [Role.VIEWER, *(pytest.param(role, marks=pytest.mark.slow) for role in (Role.OPERATOR, Role.ADMIN))]
)
def test_no_answer_tells_them(failed: tuple[World, dict[str, Any]], role: Role) -> None:
    world, what = failed
    own = (str(world.service.settings.state_folder), "the state", sys.prefix)
    seen = 0
    for where, text in answers(world, what, role):
        seen += 1
        for place in own:
            assert place not in text, (where, text[:500])
        if role is not Role.ADMIN and not (role is Role.OPERATOR and where.split()[0] in TOLD_TO_OPERATORS):
            if where.startswith("get_fabric_routing"):  # the folder that the request names for OpenSM's machine, or its default
                text = text.replace(FOLDER, "")
            found = PLACES.search(text)
            assert found is None, (where, text[max(0, found.start() - 200) : found.end() + 100] if found else "")
    assert seen > 100


def test_no_row_that_people_read_holds_them(failed: tuple[World, dict[str, Any]]) -> None:
    world, _ = failed
    with world.service.database.reading() as session:
        texts = [
            str(value)
            for columns in (
                (Job.problem, Job.progress_text, Job.result),
                (StoredCampaign.problem, StoredCampaign.ended),
                (Promotion.problem,),
                (AuditEntry.detail,),
                (Event.data,),
            )
            for row in session.execute(select(*columns))
            for value in row
        ]
    assert len(texts) > 50
    assert [text for text in texts if PLACES.search(text) or "the state" in text] == []
