# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Actions on a fabric: plan, apply, verify, restore, roll back. All but the plan are jobs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import ConfigDict, Field
from sqlalchemy.orm import Session

from api.access.dependencies import Admin, CurrentSettings, Operator, Reading, Viewer, Writing
from api.access.principal import Principal
from api.base.problems import Conflict
from api.database.models.job import Job
from api.documents.fabrics import ClearForeignOut, PlanOut
from api.documents.jobs import JobDocument
from api.fabric_drivers.base import MAX_TTL_S
from api.http.idempotency import OnlyOnce
from api.http.openapi import also
from api.queue.documents import job_document
from api.queue.table import accepted_once
from api.routes.database import CurrentDatabase
from api.routes.fields import Body, FabricName, Name
from api.services import fabric_actions
from api.services.fabric_actions import Deferred, FabricView, view_fabric
from api.services.fabric_documents import plan_document

router = APIRouter(tags=["fabrics"])

_Version = Annotated[int, Field(ge=1, le=2**31 - 1, description="Version of the profile; by default the latest.")]


class PlanBody(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"profile": "gran-2010"}]})

    profile: Name
    version: _Version | None = None


class ApplyBody(PlanBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"profile": "gran-2010", "ttl_s": 600}]})

    ttl_s: Annotated[
        int, Field(ge=1, le=MAX_TTL_S, description="Seconds after which the base profile is restored automatically.")
    ]


@router.post("/fabrics/{fabric}/plan")
def plan_profile(principal: Viewer, session: Reading, database: CurrentDatabase, fabric: FabricName, body: PlanBody) -> PlanOut:
    """Return what applying a profile would send to which devices now. Nothing is sent."""
    view = view_fabric(database, principal, fabric, body.profile, body.version)
    assert view.plan is not None
    assert view.profile is not None
    return plan_document(session, view.plan, view.profile)


@router.get("/fabrics/{fabric}/rollback-plan", responses=also(Conflict))
def plan_rollback(principal: Viewer, session: Reading, database: CurrentDatabase, fabric: FabricName) -> PlanOut:
    """Return what `roll_back_fabric` would change: the plan from the base to the former base. Nothing is sent."""
    former, plan = fabric_actions.rollback_plan(database, fabric)
    return plan_document(session, plan, former)


@router.post("/fabrics/{fabric}/apply", status_code=202, response_model=JobDocument)
def apply_profile(
    principal: Operator,
    settings: CurrentSettings,
    database: CurrentDatabase,
    session: Writing,
    once: OnlyOnce,
    fabric: FabricName,
    body: ApplyBody,
) -> JSONResponse:
    """Apply a profile as a trial run, which ends automatically. Refused during somebody else's trial run; your own is replaced.
    Where a promotion needs a second person, the setting experiment_limit_s limits the total time of trial runs."""
    found = Deferred(lambda: view_fabric(database, principal, fabric, body.profile, body.version))
    return once(
        session,
        principal,
        body,
        lambda: accepted_once(principal, fabric_actions.request_apply(session, principal, settings, found.get(), body.ttl_s)),
    )


@router.post("/fabrics/{fabric}/clear-foreign", status_code=202, response_model=ClearForeignOut, responses=also(Conflict))
def clear_foreign_devices(
    principal: Admin,
    settings: CurrentSettings,
    database: CurrentDatabase,
    session: Writing,
    once: OnlyOnce,
    fabric: FabricName,
) -> JSONResponse:
    """Clear NVIDIA's congestion control on devices that somebody else has switched on (state `foreign`). Where the fabric needs
    a second person, the first request waits for the same request of another admin, without a job."""
    found = Deferred(lambda: view_fabric(database, principal, fabric))

    def work() -> tuple[int, object, dict[str, str]]:
        job = fabric_actions.request_clear_foreign(session, principal, settings, found.get())
        if job is None:
            needs = "the same request of another admin"
            return 202, ClearForeignOut(job=None, needs=needs), {"Location": f"/api/v1/fabrics/{fabric}"}
        return 202, ClearForeignOut(job=job_document(principal, job), needs=None), {"Location": f"/api/v1/jobs/{job.id}"}

    return once(session, principal, None, work)


@dataclass(frozen=True, kw_only=True)
class _Job:
    """A job on a whole fabric, which needs no words but the fabric's name."""

    path: str
    name: str
    """Names the operation in the API's description."""
    request: Callable[[Session, Principal, FabricView], Job]
    description: str


_JOBS = (
    _Job(
        path="verify",
        name="verify_fabric",
        request=fabric_actions.request_verify,
        description="Verify the tables of every device. Tables that differ are reported, counted and set again.",
    ),
    _Job(
        path="ask-devices",
        name="ask_fabric_devices",
        request=fabric_actions.request_ask_devices,
        description="Ask all devices which congestion-control attributes they have: annex A10's, NVIDIA's, both or none. Nothing "
        "is set for it.\nRefused for a simulated fabric, whose document says it.",
    ),
    _Job(
        path="restore",
        name="restore_fabric",
        request=fabric_actions.request_restore,
        description="End the trial run now, whoever started it: the base profile is in force again. Without a trial run, nothing "
        "happens.",
    ),
    _Job(
        path="rollback",
        name="roll_back_fabric",
        request=fabric_actions.request_rollback,
        description="Undo the last promotion: the former base profile is the base again. Refused during a trial run.",
    ),
)


def _route_of(job: _Job) -> Callable[..., JSONResponse]:
    def route(
        principal: Operator, database: CurrentDatabase, session: Writing, once: OnlyOnce, fabric: FabricName
    ) -> JSONResponse:
        found = Deferred(lambda: view_fabric(database, principal, fabric))
        return once(session, principal, None, lambda: accepted_once(principal, job.request(session, principal, found.get())))

    route.__name__ = job.name
    return route


for _one in _JOBS:
    router.post(f"/fabrics/{{fabric}}/{_one.path}", status_code=202, response_model=JobDocument, description=_one.description)(
        _route_of(_one)
    )
