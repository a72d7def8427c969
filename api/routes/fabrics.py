# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fabrics: their descriptions, states, devices and topologies."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import ConfigDict, Field

from api.access.dependencies import Admin, CurrentSettings, Reading, Viewer, Writing
from api.access.principal import Principal
from api.access.redaction import redacted
from api.access.roles import Role
from api.base.problems import Busy, Conflict
from api.database.models.fabric import Fabric
from api.documents.fabrics import ByWhom, DeviceDetail, DeviceOut, FabricDocumentOut, FabricStateOut, FabricSummary
from api.fabric_drivers import plugin_sockets
from api.fabric_drivers.registry import FABRIC_KINDS
from api.http.openapi import also
from api.http.pages import Page, Paging, paginate_list
from api.http.preconditions import IfMatch, etag, require_match, set_etag
from api.routes.database import CurrentDatabase
from api.routes.fields import Body, FabricName, FreeObject, Name, Text
from api.services import fabrics, second_person
from api.services.device_documents import device_detail
from api.services.fabric_access import connected
from api.services.fabric_devices import connected_or_remembered, fabric_devices, missing_devices, watched_now
from api.services.fabric_documents import (
    options_summary,
    state_document,
    unreachable_document,
)
from api.services.watch_documents import summary_of
from api.watch.states import Mark
from tuner.documents.printable import printable
from tuner.errors import UnreachableError

router = APIRouter(tags=["fabrics"])

_GUID = r"^0x[0-9a-f]{16}$"


class NewFabric(Body):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"name": "lab", "kind": "emulated", "options": {"fabric": "two-switch"}, "description": "OpenSM, emulated."},
                {"name": "cluster", "kind": "plugin", "options": {"socket": "/run/ibcc/opensm.sock"}, "second_person": True},
            ]
        }
    )

    name: Name
    kind: Annotated[Text, Field(max_length=32, description="`simulated`, `emulated` or `plugin`.")]
    options: FreeObject = Field(
        default_factory=dict,
        description="`fabric`, the name of one that comes with ibcc, or `document`, a fabric document's text; of kind `plugin` "
        "`socket`, of kind `emulated` `model`.",
    )
    description: Annotated[Text, Field(max_length=2000)] = ""
    second_person: bool = False


class FabricChange(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"description": "The lab's.", "second_person": True}]})

    description: Annotated[Text, Field(max_length=2000)] | None = None
    options: FreeObject | None = None
    second_person: bool | None = Field(
        None, description="False is a request until another admin sets it to false too; true withdraws the request."
    )


def _summary(fabric: Fabric, principal: Principal) -> FabricSummary:
    return FabricSummary(
        name=fabric.name,
        kind=fabric.kind,
        description=fabric.description,
        options_summary=options_summary(_options(fabric, principal)),
        second_person=fabric.second_person,
        second_person_off_asked=_by_whom(second_person.off_request(fabric)),
        second_person_reset=_by_whom(second_person.reset_notice(fabric)),
        hosted=FABRIC_KINDS.get(fabric.kind).hosted,
        created_at=fabric.created_at,
        created_by=fabric.created_by,
        etag=etag(fabric.revision),
    )


def _by_whom(told: tuple[str, datetime] | None) -> ByWhom | None:
    return None if told is None else ByWhom(by=told[0], at=told[1])


def _document(fabric: Fabric, principal: Principal) -> FabricDocumentOut:
    return FabricDocumentOut(**_summary(fabric, principal).model_dump(), options=_options(fabric, principal))


def _options(fabric: Fabric, principal: Principal) -> dict[str, Any]:
    """Returns the fabric's options; places on this machine, such as a plugin's socket, only for admins, who have set them."""
    if principal.role is Role.ADMIN:
        return fabric.options
    return {name: value for name, value in fabric.options.items() if name not in plugin_sockets.OPTIONS}


@router.get("/fabrics", response_model=Page[FabricSummary])
def list_fabrics(principal: Viewer, session: Reading, page: Paging) -> object:
    """List the fabrics by name. `get_fabric` returns the options in full."""
    items, cursor = fabrics.list_fabrics(session, principal, page)
    return {"items": [_summary(fabric, principal) for fabric in items], "next_cursor": cursor}


@router.post("/fabrics", status_code=201, responses=also(Conflict))
def create_fabric(principal: Admin, session: Writing, body: NewFabric, response: Response) -> FabricDocumentOut:
    """Add a fabric. Nothing on its devices changes. A fabric of kind `emulated` is started."""
    principal.require_fabric(body.name)
    fabric = fabrics.create_fabric(
        session,
        principal,
        body.name,
        body.kind,
        body.options,
        description=body.description,
        second_person=body.second_person,
    )
    set_etag(response, fabric.revision)
    response.headers["Location"] = f"/api/v1/fabrics/{fabric.name}"
    return _document(fabric, principal)


@router.get("/fabrics/{fabric}")
def get_fabric(principal: Viewer, session: Reading, fabric: FabricName, response: Response) -> FabricDocumentOut:
    """Return a fabric with all options."""
    found = fabrics.get_fabric(session, fabric)
    set_etag(response, found.revision)
    return _document(found, principal)


@router.patch("/fabrics/{fabric}", responses=also(Busy))
def change_fabric(
    principal: Admin,
    settings: CurrentSettings,
    session: Writing,
    fabric: FabricName,
    body: FabricChange,
    response: Response,
    if_match: IfMatch = None,
) -> FabricDocumentOut:
    """Change the given fields. Other options are refused while a job or campaign works on the fabric. The second person is
    switched off when a second admin agrees."""
    found = fabrics.get_fabric(session, fabric, locked=True)
    require_match(if_match, found.revision, f"fabric '{fabric}'")
    fabrics.change_fabric(
        session, principal, settings, found, description=body.description, options=body.options, second_person=body.second_person
    )
    set_etag(response, found.revision)
    return _document(found, principal)


@router.delete("/fabrics/{fabric}", status_code=204, responses=also(Busy))
def delete_fabric(
    principal: Admin, settings: CurrentSettings, session: Writing, fabric: FabricName, if_match: IfMatch = None
) -> None:
    """Delete a fabric. Its devices keep their tables, and its campaigns are kept. Refused where it requires a second person."""
    found = fabrics.get_fabric(session, fabric, locked=True)
    require_match(if_match, found.revision, f"fabric '{fabric}'")
    fabrics.delete_fabric(session, principal, settings, found)


@router.get("/fabrics/{fabric}/state")
def get_fabric_state(principal: Viewer, session: Reading, database: CurrentDatabase, fabric: FabricName) -> FabricStateOut:
    """Return the profile in force and how many devices hold it. For an unreachable fabric, the answer has the reason."""
    found = fabrics.get_fabric(session, fabric)
    try:
        with connected(database, found) as driver:
            state = driver.state()
    except UnreachableError as error:
        document = unreachable_document(found, redacted(str(error), principal.role))
    else:
        document = state_document(session, found, state)
    watch = summary_of(session, found.name, principal.role)
    return document.model_copy(update={"warnings": [redacted(one, principal.role) for one in document.warnings], "watch": watch})


@router.get("/fabrics/{fabric}/devices", response_model=Page[DeviceOut])
def list_fabric_devices(
    principal: Viewer,
    session: Reading,
    database: CurrentDatabase,
    fabric: FabricName,
    page: Paging,
    q: Annotated[Text | None, Query(max_length=100, description="Part of the name or the GUID, or the LID.")] = None,
    kind: Annotated[Text | None, Query(max_length=16, description="`switch`, `ca`, `host`, `aggregation` or `router`.")] = None,
    state: Annotated[Text | None, Query(max_length=32, description="State, as in the counts of the fabric's state.")] = None,
    mark: Annotated[Mark | None, Query(description="Mark of the fabric's watcher.")] = None,
    firmware: Annotated[
        Text | None,
        Query(max_length=40, description="Beginning of the firmware's version, or `unknown` for devices without a known one."),
    ] = None,
    dialect: Annotated[
        Literal["a10", "nvidia", "both", "none", "unknown"] | None,
        Query(description="Congestion-control attributes that the device has; `unknown`: not known."),
    ] = None,
    aggregation: Annotated[bool, Query(description="False leaves out aggregation nodes.")] = True,
) -> object:
    """List switches, and ports of adapters, by GUID, with those that should be there. Of a fabric that cannot be reached, the
    devices are returned that were there when it was last watched; their state is `unknown`."""
    found = fabrics.get_fabric(session, fabric)
    wanted = None if q is None else printable(q).lower()
    rows = [
        device
        for device in fabric_devices(session, database, found)
        if (wanted is None or wanted in device.name.lower() or wanted in device.guid or wanted == str(device.lid))
        and kind in (None, device.kind, device.node_kind)
        and state in (None, device.state)
        and (aggregation or device.node_kind != "aggregation")
        and (mark is None or mark in device.marks)
        and dialect in (None, device.dialect or "unknown")
        and (firmware is None or (device.firmware or "unknown").startswith(firmware))
    ]
    items, cursor = paginate_list(rows, lambda one: f"{one.guid}/{one.port:03}", page)
    return {"items": items, "next_cursor": cursor}


@router.get("/fabrics/{fabric}/devices/{guid}")
def get_fabric_device(
    principal: Viewer,
    session: Reading,
    database: CurrentDatabase,
    fabric: FabricName,
    guid: Annotated[str, Field(pattern=_GUID, description="GUID: `0x` and 16 digits.", examples=["0x0000000000000100"])],
) -> DeviceDetail:
    """Return a device with its ports, and its tables as wanted and as held; without tables where the fabric cannot be reached or
    the device is missing."""
    found = fabrics.get_fabric(session, fabric)
    marks = watched_now(session, fabric).marks.get(guid, ())
    with connected_or_remembered(session, database, found) as driver:
        return device_detail(driver, found, guid, missing_devices(session, fabric), list(marks))
