# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Workloads."""

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import ConfigDict, Field

from api.access.dependencies import Operator, Reading, Viewer, Writing
from api.base.problems import Conflict, NotFound
from api.documents.validation import WorkloadValidation
from api.documents.workloads import WorkloadDocument, WorkloadUse
from api.http.openapi import also
from api.http.pages import Page, Paging, paginate_list
from api.http.preconditions import IfMatch, etag, require_match, set_etag
from api.routes.fields import BelongsTo, BelongsToFromNow, Body, Name, Text
from api.services import workloads
from api.services.belonging import is_readable, require_readable
from api.services.workload_uses import workload_uses
from api.services.workload_validation import workload_validation
from api.services.workloads import AnyWorkload

router = APIRouter(tags=["workloads"])

_EXAMPLE = """\
ibcc_workload: 1
name: mine
fabric: two-switch
duration_s: 1
flows:
- {name: C1, src: H1, dst: H4, role: contributor}
- {name: V, src: H2, dst: H5, role: victim}
"""


class NewWorkload(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "mine", "document": _EXAMPLE}]})

    name: Name
    document: Annotated[Text, Field(max_length=workloads.MAX_DOCUMENT_BYTES, description="A workload document (YAML).")]
    belongs_to: BelongsTo = None


class WorkloadChange(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"document": _EXAMPLE}]})

    document: Annotated[Text, Field(max_length=workloads.MAX_DOCUMENT_BYTES)]
    belongs_to: BelongsToFromNow = None


class WorkloadToValidate(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"document": _EXAMPLE, "fabric": "two-switch"}]})

    document: Annotated[Text, Field(max_length=workloads.MAX_DOCUMENT_BYTES)]
    name: Name | None = Field(None, description="Name of the workload in the service, which the document's must be.")
    fabric: Name | None = Field(
        None,
        description="Fabric on which to look for the hosts. By default they are looked for on the fabric that the document "
        "names, if it is known, and hosts that are not there are warnings.",
    )


def _document(one: AnyWorkload) -> WorkloadDocument:
    read = one.workload
    return WorkloadDocument(
        name=one.name,
        document=one.document,
        builtin=one.builtin,
        fabric=read.fabric,
        duration_s=read.duration_s,
        belongs_to=one.belongs_to,
        flows=len(read.flows),
        patterns=len(read.patterns),
        created_at=one.created_at,
        created_by=one.created_by,
        changed_at=one.changed_at,
        etag=etag(one.revision),
    )


@router.get("/workloads", response_model=Page[WorkloadDocument])
def list_workloads(principal: Viewer, session: Reading, page: Paging) -> object:
    """List workloads by name."""
    found = [one for one in workloads.all_workloads(session) if is_readable(principal, one.belongs_to)]
    items, cursor = paginate_list(found, lambda one: one.name, page)
    return {"items": [_document(one) for one in items], "next_cursor": cursor}


@router.post("/workloads", status_code=201, responses=also(Conflict, NotFound))
def create_workload(principal: Operator, session: Writing, body: NewWorkload, response: Response) -> WorkloadDocument:
    """Create a workload."""
    one = workloads.create_workload(session, principal, body.name, body.document, body.belongs_to)
    set_etag(response, one.revision)
    response.headers["Location"] = f"/api/v1/workloads/{one.name}"
    return _document(one)


@router.post("/workloads/validate", responses=also(NotFound))
def validate_workload(principal: Viewer, session: Reading, body: WorkloadToValidate) -> WorkloadValidation:
    """Validate a workload document: return all its errors with their places, and its flows. Nothing is stored."""
    if body.fabric is not None:
        principal.require_fabric(body.fabric)
    return workload_validation(session, principal, body.document, name=body.name, fabric=body.fabric)


@router.get("/workloads/{name}/uses")
def list_workload_uses(principal: Viewer, session: Reading, name: Name) -> list[WorkloadUse]:
    """List the campaigns and checks that name a workload, newest campaigns first, at most 200. Campaigns keep the document with
    which they were created; checks read the present one each night."""
    one = workloads.get_workload(session, name)
    require_readable(principal, "workload", name, one.belongs_to)
    return workload_uses(session, principal, name)


@router.get("/workloads/{name}")
def get_workload(principal: Viewer, session: Reading, name: Name, response: Response) -> WorkloadDocument:
    """One workload."""
    one = workloads.get_workload(session, name)
    require_readable(principal, "workload", name, one.belongs_to)
    set_etag(response, one.revision)
    return _document(one)


@router.put("/workloads/{name}", responses=also(Conflict))
def change_workload(
    principal: Operator, session: Writing, name: Name, body: WorkloadChange, response: Response, if_match: IfMatch = None
) -> WorkloadDocument:
    """Change a workload. Existing campaigns keep the former document."""
    row = workloads.locked_workload(session, principal, name)
    require_match(if_match, row.revision, f"workload '{name}'")
    owner = body.belongs_to if "belongs_to" in body.model_fields_set else row.fabric
    one = workloads.change_workload(session, principal, row, body.document, owner)
    set_etag(response, one.revision)
    return _document(one)


@router.delete("/workloads/{name}", status_code=204, responses=also(Conflict))
def delete_workload(principal: Operator, session: Writing, name: Name, if_match: IfMatch = None) -> None:
    """Delete a workload. Existing campaigns keep their copy."""
    row = workloads.locked_workload(session, principal, name)
    require_match(if_match, row.revision, f"workload '{name}'")
    workloads.delete_workload(session, principal, row)
