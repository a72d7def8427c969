# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Twins: everything that ibcc can say of an import or a fabric, made by a job, as one report."""

from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import HTMLResponse
from sqlalchemy.orm import Session

from api.access.dependencies import Operator, Reading, Viewer, Writing
from api.base.problems import Conflict
from api.database.models.fabric_twin import FabricTwin
from api.documents.fabric_twins import TwinOut
from api.http.openapi import also
from api.routes.fields import FabricName, Id
from api.services import fabric_imports, fabric_twins
from api.services.fabrics import get_fabric

router = APIRouter(tags=["twins"])

# The report is one page with its own style and no script. In a sandbox it has no origin, and thus no session.
_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'"
)
_PAGE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/html": {"schema": {"type": "string"}}}, "description": "A page that needs no other file."}
}


def _accepted(session: Session, twin: FabricTwin, response: Response) -> TwinOut:
    response.headers["Location"] = f"/api/v1/jobs/{twin.job}"
    return fabric_twins.twin_document(session, twin)


def _page(twin: FabricTwin) -> Response:
    return HTMLResponse(fabric_twins.page_of(twin), headers={"Content-Security-Policy": _POLICY, "X-Frame-Options": "SAMEORIGIN"})


@router.post("/fabric-imports/{import_id}/twin", status_code=202, responses=also(Conflict))
def make_import_twin(principal: Operator, session: Writing, import_id: Id, response: Response) -> TwinOut:
    """Make the twin of an import which is ready, or of the fabric that it became: OpenSM tries the advised routing on the
    emulated fabric, hotspots are simulated without congestion control and with a suggested profile. The answer names the job."""
    row = fabric_imports.get_import(session, principal, import_id, locked=True)
    return _accepted(session, fabric_twins.begin_of_import(session, principal, row), response)


@router.get("/fabric-imports/{import_id}/twin")
def get_import_twin(principal: Operator, session: Reading, import_id: Id) -> TwinOut | None:
    """Return the twin of an import, or of the fabric that it became; null if none was begun."""
    twin = fabric_twins.of_import(session, fabric_imports.get_import(session, principal, import_id))
    return None if twin is None else fabric_twins.twin_document(session, twin)


@router.get("/fabric-imports/{import_id}/twin/report", response_class=HTMLResponse, responses=_PAGE)
def get_import_twin_report(principal: Operator, session: Reading, import_id: Id) -> Response:
    """Return the report of an import's twin as a page."""
    row = fabric_imports.get_import(session, principal, import_id)
    return _page(fabric_twins.found(fabric_twins.of_import(session, row), f"Import {row.id}"))


@router.post("/fabrics/{fabric}/twin", status_code=202, responses=also(Conflict))
def make_fabric_twin(principal: Operator, session: Writing, fabric: FabricName, response: Response) -> TwinOut:
    """Make the twin of a fabric as its wiring is now, as `make_import_twin` does. Nothing is sent to its devices."""
    row = get_fabric(session, fabric)
    return _accepted(session, fabric_twins.begin_of_fabric(session, principal, row), response)


@router.get("/fabrics/{fabric}/twin")
def get_fabric_twin(principal: Viewer, session: Reading, fabric: FabricName) -> TwinOut | None:
    """Return the twin of a fabric; null if none was begun."""
    get_fabric(session, fabric)
    twin = fabric_twins.of_fabric(session, fabric)
    return None if twin is None else fabric_twins.twin_document(session, twin)


@router.get("/fabrics/{fabric}/twin/report", response_class=HTMLResponse, responses=_PAGE)
def get_fabric_twin_report(principal: Viewer, session: Reading, fabric: FabricName) -> Response:
    """Return the report of a fabric's twin as a page."""
    get_fabric(session, fabric)
    return _page(fabric_twins.found(fabric_twins.of_fabric(session, fabric), f"Fabric '{fabric}'"))


@router.get("/fabrics/{fabric}/twin/report.json")
def get_fabric_twin_document(principal: Viewer, session: Reading, fabric: FabricName) -> dict[str, Any]:
    """Return the report of a fabric's twin as JSON."""
    get_fabric(session, fabric)
    text = fabric_twins.document_text_of(fabric_twins.found(fabric_twins.of_fabric(session, fabric), f"Fabric '{fabric}'"))
    return Response(text, media_type="application/json")  # type: ignore[return-value]
