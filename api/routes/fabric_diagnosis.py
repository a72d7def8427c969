# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The verdict "host or fabric?" of a fabric."""

from typing import Annotated

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import ConfigDict, Field

from api.access.dependencies import Operator, Reading, Viewer, Writing
from api.base.problems import Conflict
from api.documents.fabric_diagnosis import FabricDiagnosis
from api.documents.jobs import JobDocument
from api.http.idempotency import OnlyOnce
from api.http.openapi import also
from api.queue.table import accepted_once
from api.routes.fields import Body, FabricName, Name
from api.services import fabric_diagnosis
from api.services.fabrics import get_fabric

router = APIRouter(tags=["fabrics"])


class DiagnosisBody(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"workload": "scenario-1", "time_scale": 0.05}, {"seconds": 10}]})

    workload: Annotated[
        Name | None,
        Field(description="Workload to run on the simulated or emulated fabric; null: watch the switches' ports to hosts."),
    ] = None
    usual_version: Annotated[
        int | None,
        Field(
            ge=1,
            le=2**31 - 1,
            description="Version of the fabric's wiring as it should be: its limits of hosts and rates of links are no fault.",
        ),
    ] = None
    seconds: Annotated[int, Field(ge=1, le=300, description="Seconds for which ports are watched without a workload.")] = 5
    seed: Annotated[int, Field(ge=0, le=2**63 - 1, description="Random seed of the workload.")] = 1
    time_scale: Annotated[float, Field(gt=0, le=1, description="Factor of the workload's times.")] = 1.0


@router.get("/fabrics/{fabric}/diagnosis")
def get_fabric_diagnosis(principal: Viewer, session: Reading, fabric: FabricName) -> FabricDiagnosis:
    """Return what makes flows slow, a host or the fabric: by the last diagnosis, and by the last night of each check."""
    return fabric_diagnosis.fabric_diagnosis(session, principal, get_fabric(session, fabric))


@router.post("/fabrics/{fabric}/diagnosis", status_code=202, response_model=JobDocument, responses=also(Conflict))
def diagnose_fabric(
    principal: Operator, session: Writing, once: OnlyOnce, fabric: FabricName, body: DiagnosisBody
) -> JSONResponse:
    """Diagnose a fabric: run a workload on the simulated or emulated fabric under the profile in force, or watch the ports of
    the switches to hosts of one that runs. Nothing changes on its devices."""
    found = get_fabric(session, fabric)
    asked = body.model_dump()
    return once(
        session,
        principal,
        body,
        lambda: accepted_once(principal, fabric_diagnosis.request_diagnosis(session, principal, found, asked)),
    )
