# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The inventory of a fabric: where its hosts are, and how agents are started there."""

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import ConfigDict, Field

from api.access.dependencies import Admin, CurrentSettings, Operator, Reading, Writing
from api.database.models.inventory import StoredInventory
from api.documents.inventories import InventoryDocument
from api.documents.validation import DocumentValidation
from api.http.preconditions import IfMatch, IfNoneMatch, etag, require_match, require_match_or_none, set_etag
from api.routes.fields import Body, FabricName, Text
from api.services import inventories
from api.services.fabrics import get_fabric
from api.services.inventory_validation import inventory_validation

router = APIRouter(tags=["hosts"])

_EXAMPLE = """\
ibcc_inventory: 1
name: lab
launcher: {kind: ssh, user: ibcc}
hosts:
- {nodes: "node[1-7]", host: "H{number}", address: "{node}-ib", device: mlx5_0}
"""


class InventoryBody(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"document": _EXAMPLE}]})

    document: Annotated[
        Text,
        Field(
            max_length=inventories.MAX_DOCUMENT_BYTES,
            description="An inventory document (YAML). Its `fabric` is the name of this fabric, or is omitted.",
        ),
    ]


def _document(row: StoredInventory) -> InventoryDocument:
    inventory = inventories.inventory_of(row)
    return InventoryDocument(
        fabric=row.fabric,
        name=inventory.name,
        document=row.document,
        hosts=len(inventory.by_node),
        launcher=inventory.launcher.kind,
        created_at=row.created_at,
        created_by=row.created_by,
        changed_at=row.changed_at,
        changed_by=row.changed_by,
        etag=etag(row.revision),
    )


@router.get("/fabrics/{fabric}/inventory")
def get_inventory(principal: Operator, session: Reading, fabric: FabricName, response: Response) -> InventoryDocument:
    """Return the inventory. It names commands and files of the service's machine, so viewers can only read the hosts."""
    get_fabric(session, fabric)
    row = inventories.get_inventory(session, fabric)
    set_etag(response, row.revision)
    return _document(row)


@router.put("/fabrics/{fabric}/inventory", responses={201: {"model": InventoryDocument, "description": "It is new."}})
def put_inventory(
    principal: Admin,
    session: Writing,
    settings: CurrentSettings,
    fabric: FabricName,
    body: InventoryBody,
    response: Response,
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
) -> InventoryDocument:
    """Add the inventory with `If-None-Match: *`, or change it with `If-Match`. No host is contacted. Only administrators may do
    so, since an inventory says what runs on the hosts. Keys that choose a program on the service's machine are refused unless
    the setting inventory_programs allows them."""
    found = get_fabric(session, fabric, locked=True)
    old = inventories.find_inventory(session, fabric, locked=True)
    require_match_or_none(if_match, if_none_match, None if old is None else old.revision, f"inventory of '{fabric}'")
    row = inventories.put_inventory(session, principal, settings, found, body.document)
    session.flush()
    set_etag(response, row.revision)
    if old is None:
        response.status_code = 201
        response.headers["Location"] = f"/api/v1/fabrics/{fabric}/inventory"
    return _document(row)


@router.post("/fabrics/{fabric}/inventory/validate")
def validate_inventory(
    principal: Admin, session: Reading, settings: CurrentSettings, fabric: FabricName, body: InventoryBody
) -> DocumentValidation:
    """Validate an inventory document: return its errors with their places. Nothing is stored, and no host is contacted."""
    return inventory_validation(settings, get_fabric(session, fabric), body.document)


@router.delete("/fabrics/{fabric}/inventory", status_code=204)
def delete_inventory(principal: Admin, session: Writing, fabric: FabricName, if_match: IfMatch = None) -> None:
    """Delete the inventory and the results of the last check. Running campaigns continue; no other one can start on its hosts."""
    get_fabric(session, fabric, locked=True)
    row = inventories.get_inventory(session, fabric, locked=True)
    require_match(if_match, row.revision, f"inventory of '{fabric}'")
    inventories.delete_inventory(session, principal, row)
