# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""JSON Schemas of documents, for editors."""

from typing import Annotated, Any

from fastapi import APIRouter, Path

from api.access.dependencies import Viewer
from api.services.schemas import get_schema, schemas

router = APIRouter(tags=["schemas"])

_Kind = Annotated[
    str,
    Path(min_length=1, max_length=64, pattern=r"^[a-z]+$", description="Kind of document.", examples=["workload"]),
]


@router.get("/schemas")
def list_schemas(principal: Viewer) -> list[str]:
    """List the kinds of documents that have a schema."""
    return list(schemas())


@router.get("/schemas/{kind}")
def get_document_schema(principal: Viewer, kind: _Kind) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a kind of document. It says what a schema can; the calls that validate a document
    find all that is wrong with it."""
    return get_schema(kind)
