# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Imports of fabrics: upload, preview, and keeping what was read."""

from typing import Annotated, Any, Literal, TypeAlias

from fastapi import APIRouter, Query, Response
from pydantic import AfterValidator, ConfigDict, Field

from api.access.dependencies import Admin, CurrentSettings, Reading, Writing, acting
from api.access.principal import Principal
from api.base.problems import Busy, Conflict, InvalidInput, NotFound
from api.database.models.fabric_import import FabricImport
from api.documents.fabric_imports import ImportOut, ImportPreview, ImportSummary
from api.documents.topology import PictureOut
from api.fabric_drivers.documents import fabric_of_text
from api.fabric_drivers.topology import topology_of
from api.http.openapi import also
from api.http.pages import Page, Paging
from api.routes.fields import Body, FabricName, FreeObject, Id, Name, SubnetNumber, Text
from api.routes.line_archive import LINE_ARCHIVE, LineFolder, line_archive
from api.routes.texts import YamlResponse, described
from api.routes.uploads import BODY, Upload
from api.services import fabric_imports, fabric_routing
from api.services.fabrics import get_fabric
from api.states.imports import IMPORTS
from ccsim import routing_names
from tuner.errors import BadInputError
from tuner.fabric.opensm_line import suited_line

router = APIRouter(tags=["imports"])


_ROUTINGS = [name for name in routing_names() if name != "tables"]


def _known_routing(name: str) -> str:
    if name not in _ROUTINGS:
        raise ValueError(f"it is not a routing of the simulator; there are {', '.join(_ROUTINGS)}")
    return name


_MTUS = (256, 512, 1024, 2048, 4096)


def _known_mtu(value: int) -> int:
    if value not in _MTUS:
        raise ValueError(f"it is not an MTU of InfiniBand; there are {', '.join(map(str, _MTUS))}")
    return value


MtuBytes: TypeAlias = Annotated[int, AfterValidator(_known_mtu), Field(json_schema_extra={"enum": list(_MTUS)})]
RoutingName: TypeAlias = Annotated[
    str,
    AfterValidator(_known_routing),
    Field(json_schema_extra={"enum": _ROUTINGS}, description="Routing in place of the one that was read; null: that one."),
]
DialectName: TypeAlias = Annotated[
    Literal["a10", "nvidia-dcqcn", "nvidia-ppcc", "both", "none"],
    Field(
        description="Congestion control of all devices; null: as their device ids, names and speeds tell, and `unknown` where "
        "they tell nothing."
    ),
]
_STRICT = "Whether the first odd row is refused, instead of keeping what is sound without it."
FileName: TypeAlias = Annotated[Text, Query(min_length=1, max_length=255, description="Name of the file, for people.")]
TargetQuery: TypeAlias = Annotated[
    Name | None, Query(description="Existing fabric of which it is to be the next version; without it, a new fabric.")
]


class Reread(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"mtu_bytes": 4096, "routing": "updown"}]})

    mtu_bytes: MtuBytes | None = Field(None, description="MTU, which most formats do not hold; null: as before.")
    routing: RoutingName | None = None
    subnet: SubnetNumber | None = None
    congestion_control: DialectName | None = None
    strict: Annotated[bool, Field(description=_STRICT)] = False


class NewFabricOfImport(Body):
    name: Name
    kind: Annotated[Text, Field(max_length=32, description="`simulated`, `emulated` or `plugin`.")] = "simulated"
    options: FreeObject = Field(
        default_factory=dict,
        description="Options beside what was imported: of kind `plugin` its sockets, of kind `emulated` `model`.",
    )
    description: Annotated[Text, Field(max_length=2000)] = ""
    second_person: bool = False


class Keep(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"fabric": {"name": "superpod"}}]})

    fabric: NewFabricOfImport | None = Field(
        None, description="The new fabric; null, if the import is to be the next version of an existing one."
    )


_AS_IT_IS = Reread()


def _summary(principal: Principal, row: FabricImport) -> ImportSummary:
    values = {name: getattr(row, name) for name in ImportSummary.model_fields if name != "actions"}
    return ImportSummary(**values, actions=IMPORTS.actions(principal.role, row.state))


def _document(principal: Principal, session: Any, row: FabricImport) -> ImportOut:
    preview = None if row.preview is None else ImportPreview.model_validate(row.preview)
    routes, names = (fabric_imports.file_name(session, row, part) for part in ("routes", "names"))
    return ImportOut(**dict(_summary(principal, row)), options=row.options, routes_name=routes, names_name=names, preview=preview)


def _accepted(principal: Principal, session: Any, row: FabricImport, response: Response) -> ImportOut:
    """The answer 202 to a request that has begun a job, or ended one. The import names it."""
    response.headers["Location"] = f"/api/v1/fabric-imports/{row.id}"
    return _document(principal, session, row)


@router.get("/fabric-imports", response_model=Page[ImportSummary])
def list_fabric_imports(principal: Admin, session: Reading, page: Paging) -> object:
    """List imports, newest first, that are not deleted yet."""
    items, cursor = fabric_imports.list_imports(session, principal, page)
    return {"items": [_summary(principal, row) for row in items], "next_cursor": cursor}


@router.post("/fabric-imports", status_code=202, responses=also(Conflict, NotFound), openapi_extra=BODY)
def import_fabric(
    principal: Admin,
    settings: CurrentSettings,
    upload: Upload,  # before the session, which must not wait for it
    session: Writing,
    response: Response,
    file_name: FileName = "file",
    name: Annotated[Name | None, Query(description="Name of the new fabric; by default made of the file's name.")] = None,
    fabric: TargetQuery = None,
    mtu_bytes: Annotated[MtuBytes, Query(description="MTU, which most formats do not hold.")] = 4096,
    routing: Annotated[RoutingName | None, Query()] = None,
    subnet: Annotated[SubnetNumber | None, Query()] = None,
    congestion_control: Annotated[DialectName | None, Query()] = None,
    strict: Annotated[bool, Query(description=_STRICT)] = False,
) -> ImportOut:
    """Read what ibnetdiscover or iblinkinfo prints, opensm-subnet.lst, ibdiagnet2.db_csv, a net file of ibsim, or a fabric
    document; gzip may have packed it. The answer names the job; the import has a preview when that is done. Nothing becomes a
    fabric before `keep_fabric_import`."""
    row = fabric_imports.from_file(
        session,
        principal,
        settings,
        upload,
        file_name=file_name,
        name=name,
        fabric=fabric,
        options={
            "mtu_bytes": mtu_bytes,
            "routing": routing,
            "subnet": subnet,
            "congestion_control": congestion_control,
            "strict": strict,
        },
    )
    return _accepted(principal, session, row, response)


@router.post("/fabrics/{fabric}/import", status_code=202, responses=also(Conflict))
def import_from_opensm(
    principal: Admin, settings: CurrentSettings, session: Writing, fabric: FabricName, response: Response
) -> ImportOut:
    """Read a fabric as its OpenSM has it at this moment, with its forwarding tables, as a version of the fabric."""
    row = fabric_imports.from_opensm(session, principal, settings, get_fabric(session, fabric))
    return _accepted(principal, session, row, response)


@router.get("/fabric-imports/{import_id}")
def get_fabric_import(principal: Admin, session: Reading, import_id: Id) -> ImportOut:
    """Return an import with its preview."""
    return _document(principal, session, fabric_imports.get_import(session, principal, import_id))


@router.get(
    "/fabric-imports/{import_id}/document",
    response_class=YamlResponse,
    responses=described("A fabric document.") | also(Conflict),
)
def get_fabric_import_document(principal: Admin, session: Reading, import_id: Id) -> Response:
    """Return the fabric document that was made of an import which is ready."""
    row = fabric_imports.get_import(session, principal, import_id)
    return YamlResponse(_text(row))


@router.get("/fabric-imports/{import_id}/topology", responses=also(Conflict))
def get_fabric_import_topology(principal: Admin, session: Reading, import_id: Id) -> PictureOut:
    """Return the picture of an import which is ready, as `get_fabric_topology` does."""
    text = _text(fabric_imports.get_import(session, principal, import_id))
    return PictureOut.model_validate(topology_of(fabric_of_text(text)).view())


@router.get("/fabric-imports/{import_id}/routing/files", response_class=Response, responses=LINE_ARCHIVE | also(Conflict))
def get_fabric_import_routing_files(
    principal: Admin, session: Reading, import_id: Id, folder: LineFolder = fabric_routing.FOLDER
) -> Response:
    """Return the files of OpenSM's line that suits an import which is ready, in one archive, as `get_fabric_routing_files` does
    of a fabric."""
    row = fabric_imports.get_import(session, principal, import_id)
    return line_archive(suited_line(fabric_of_text(_text(row))), folder, row.name)


def _text(row: FabricImport) -> str:
    if row.document is None:
        raise Conflict(f"Import {row.id} is {row.state}; it has a document only while it is ready.")
    return row.document


@router.put("/fabric-imports/{import_id}/routes", status_code=202, responses=also(Conflict), openapi_extra=BODY)
def put_import_routes(
    principal: Annotated[Principal, acting(IMPORTS.role("reread"))],
    upload: Upload,  # before the session, which must not wait for it
    session: Writing,
    import_id: Id,
    response: Response,
    file_name: FileName = "routes",
) -> ImportOut:
    """Read an import again with forwarding tables: opensm-lfts.dump, or what dump_fts or ibroute prints; gzip may have packed
    them."""
    row = fabric_imports.get_import(session, principal, import_id, locked=True)
    fabric_imports.put_routes(session, principal, row, upload, file_name)
    return _accepted(principal, session, row, response)


@router.put("/fabric-imports/{import_id}/names", status_code=202, responses=also(Conflict), openapi_extra=BODY)
def put_import_names(
    principal: Annotated[Principal, acting(IMPORTS.role("reread"))],
    upload: Upload,  # before the session, which must not wait for it
    session: Writing,
    import_id: Id,
    response: Response,
    file_name: FileName = "names",
) -> ImportOut:
    """Read an import again with a node name map: a GUID and a name a line, as OpenSM reads it; gzip may have packed it."""
    row = fabric_imports.get_import(session, principal, import_id, locked=True)
    fabric_imports.put_names(session, principal, row, upload, file_name)
    return _accepted(principal, session, row, response)


@router.post("/fabric-imports/{import_id}/reread", status_code=202, responses=also(Conflict))
def reread_fabric_import(
    principal: Annotated[Principal, acting(IMPORTS.role("reread"))],
    session: Writing,
    import_id: Id,
    response: Response,
    body: Reread = _AS_IT_IS,
) -> ImportOut:
    """Read an import again with other options, and compare it with the fabric's present version."""
    row = fabric_imports.get_import(session, principal, import_id, locked=True)
    given = body.model_dump(exclude_unset=True)
    fabric_imports.reread(session, principal, row, {key: value for key, value in given.items() if key != "mtu_bytes" or value})
    return _accepted(principal, session, row, response)


@router.post("/fabric-imports/{import_id}/cancel", status_code=202, responses=also(Conflict))
def cancel_fabric_import(
    principal: Annotated[Principal, acting(IMPORTS.role("cancel"))], session: Writing, import_id: Id, response: Response
) -> ImportOut:
    """End the reading of an import. Its files are kept, so that it can be read again."""
    row = fabric_imports.get_import(session, principal, import_id, locked=True)
    fabric_imports.cancel(session, principal, row)
    return _accepted(principal, session, row, response)


@router.post("/fabric-imports/{import_id}/keep", responses=also(Busy))
def keep_fabric_import(
    principal: Annotated[Principal, acting(IMPORTS.role("keep"))],
    settings: CurrentSettings,
    session: Writing,
    import_id: Id,
    body: Keep,
) -> ImportOut:
    """Make an import a new fabric, or the next version of the fabric that it was compared with. Refused while a job or campaign
    works on that fabric, and if it has another version since the comparison."""
    row = fabric_imports.get_import(session, principal, import_id, locked=True)
    try:
        fabric_imports.keep(session, principal, settings, row, None if body.fabric is None else body.fabric.model_dump())
    except BadInputError as error:
        raise InvalidInput.of_field("fabric", error.sentence) from error
    return _document(principal, session, row)


@router.delete("/fabric-imports/{import_id}", status_code=204, responses=also(Conflict))
def discard_fabric_import(
    principal: Annotated[Principal, acting(IMPORTS.role("discard"))], session: Writing, import_id: Id
) -> None:
    """Delete an import. A fabric that it became stays."""
    fabric_imports.discard(session, principal, fabric_imports.get_import(session, principal, import_id, locked=True))
