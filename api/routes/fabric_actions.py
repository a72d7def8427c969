# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What is done to a fabric: planned, tried, verified, undone. All but a plan is a job."""

from typing import Annotated

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import ConfigDict, Field

from api.access.dependencies import CurrentSettings, Operator, Reading, Viewer, Writing
from api.documents.fabrics import PlanOut
from api.documents.jobs import JobDocument
from api.fabric_drivers.base import MAX_TTL_S
from api.idempotency import OnlyOnce
from api.queue.table import accepted_once
from api.routes.database import CurrentDatabase
from api.routes.fields import Body, FabricName, Name
from api.services import fabric_actions
from api.services.fabric_actions import Found, see
from api.services.fabric_documents import plan_document

router = APIRouter(tags=["fabrics"])

_Version = Annotated[int, Field(ge=1, le=2**31 - 1, description="By default the latest.")]


class PlanBody(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"profile": "gran-2010"}]})

    profile: Name
    version: _Version | None = None


class ApplyBody(PlanBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"profile": "gran-2010", "ttl_s": 600}]})

    ttl_s: Annotated[int, Field(ge=1, le=MAX_TTL_S, description="After so many seconds the base profile comes back by itself.")]


@router.post("/fabrics/{fabric}/plan")
def plan_profile(principal: Viewer, session: Reading, database: CurrentDatabase, fabric: FabricName, body: PlanBody) -> PlanOut:
    """What applying a profile would send to which devices now. Nothing is sent."""
    sight = see(database, principal, fabric, body.profile, body.version)
    assert sight.plan is not None
    assert sight.profile is not None
    return plan_document(session, sight.plan, sight.profile)


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
    """Tries a profile: an experiment, which ends by itself. Refused while somebody else tries one; one's own is replaced. Where a
    promotion needs a second person, experiments last at most as long as the setting experiment_limit_s says, all together."""
    found = Found(lambda: see(database, principal, fabric, body.profile, body.version))
    return once(
        session,
        principal,
        body,
        lambda: accepted_once(principal, fabric_actions.request_apply(session, principal, settings, found.taken(), body.ttl_s)),
    )


@router.post("/fabrics/{fabric}/verify", status_code=202, response_model=JobDocument)
def verify_fabric(
    principal: Operator, database: CurrentDatabase, session: Writing, once: OnlyOnce, fabric: FabricName
) -> JSONResponse:
    """Reads back what every device holds; what differs is told, counted and set again."""
    found = Found(lambda: see(database, principal, fabric))
    return once(
        session,
        principal,
        None,
        lambda: accepted_once(principal, fabric_actions.request_verify(session, principal, found.taken())),
    )


@router.post("/fabrics/{fabric}/restore", status_code=202, response_model=JobDocument)
def restore_fabric(
    principal: Operator, database: CurrentDatabase, session: Writing, once: OnlyOnce, fabric: FabricName
) -> JSONResponse:
    """Ends the experiment now, whoever's it is: the base profile is in force again. Without one, nothing happens."""
    found = Found(lambda: see(database, principal, fabric))
    return once(
        session,
        principal,
        None,
        lambda: accepted_once(principal, fabric_actions.request_restore(session, principal, found.taken())),
    )


@router.post("/fabrics/{fabric}/rollback", status_code=202, response_model=JobDocument)
def roll_back_fabric(
    principal: Operator, database: CurrentDatabase, session: Writing, once: OnlyOnce, fabric: FabricName
) -> JSONResponse:
    """Undoes the last promotion: the former base profile is the base again. Refused during an experiment."""
    found = Found(lambda: see(database, principal, fabric))
    return once(
        session,
        principal,
        None,
        lambda: accepted_once(principal, fabric_actions.request_rollback(session, principal, found.taken())),
    )
