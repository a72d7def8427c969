# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Routing of a fabric: advice, the advised line of OpenSM, its files, and trials of it."""

from typing import Annotated

from fastapi import APIRouter, Path, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from api.access.dependencies import Operator, Reading, Viewer, Writing
from api.base.problems import Conflict
from api.documents.jobs import JobDocument
from api.documents.routing_advice import FabricRouting
from api.http.idempotency import OnlyOnce
from api.http.openapi import also
from api.queue.table import accepted_once
from api.routes.fields import FabricName, Text
from api.routes.line_archive import LINE_ARCHIVE, LineFolder, line_archive
from api.services import fabric_routing
from api.services.fabrics import get_fabric

router = APIRouter(tags=["fabrics"])


@router.get("/fabrics/{fabric}/routing", responses=also(Conflict))
def get_fabric_routing(
    principal: Viewer, session: Reading, fabric: FabricName, folder: LineFolder = fabric_routing.FOLDER
) -> FabricRouting:
    """Return the advice on a fabric's routing, what its present routing carries, the advised line of OpenSM, and what came out
    when it was tried on this version of the wiring."""
    return fabric_routing.fabric_routing(session, get_fabric(session, fabric), folder)


@router.get(
    "/fabrics/{fabric}/routing/files",
    response_class=Response,
    responses=LINE_ARCHIVE | also(Conflict),
)
def get_fabric_routing_files(
    principal: Viewer, session: Reading, fabric: FabricName, folder: LineFolder = fabric_routing.FOLDER
) -> Response:
    """Return all files of the advised line in one archive."""
    line = fabric_routing.taken_line(session, get_fabric(session, fabric))
    return line_archive(line, folder, fabric)


@router.get("/fabrics/{fabric}/routing/files/{file}", response_class=PlainTextResponse, responses=also(Conflict))
def get_fabric_routing_file(
    principal: Viewer,
    session: Reading,
    fabric: FabricName,
    file: Annotated[
        Text,
        Path(pattern=r"^[A-Za-z0-9._-]+$", max_length=64, description="Name of a file of the line.", examples=["opensm.conf"]),
    ],
    folder: LineFolder = fabric_routing.FOLDER,
) -> PlainTextResponse:
    """Return one file of the advised line."""
    return PlainTextResponse(fabric_routing.line_file(session, get_fabric(session, fabric), folder, file))


@router.post("/fabrics/{fabric}/routing/trial", status_code=202, response_model=JobDocument, responses=also(Conflict))
def try_fabric_routing(principal: Operator, session: Writing, once: OnlyOnce, fabric: FabricName) -> JSONResponse:
    """Try the advised line: a real OpenSM runs with it on the emulated twin of the fabric's wiring, and its tables are read back.
    Nothing changes on the fabric. Where the line leaves something to win, nue and dfsssp are tried too, and taken if they carry a
    tenth more."""
    found = get_fabric(session, fabric)
    return once(
        session, principal, None, lambda: accepted_once(principal, fabric_routing.request_trial(session, principal, found))
    )
