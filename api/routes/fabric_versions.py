# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Versions of a fabric's wiring, and the fabrics that come with ibcc."""

from typing import Annotated

from fastapi import APIRouter, Path, Response

from api.access.dependencies import Admin, CurrentSettings, Reading, Viewer, Writing
from api.base.problems import Busy, Conflict
from api.database.models.fabric_import import FabricVersion
from api.documents.fabric_imports import DifferenceOut, PackagedFabric, VersionOut
from api.documents.topology import PictureOut
from api.fabric_drivers.documents import packaged_fabric
from api.fabric_drivers.topology import topology_of
from api.http.openapi import also
from api.http.pages import Page, Paging, paginate_list
from api.http.preconditions import IfMatch, require_match, set_etag
from api.routes.fields import FabricName
from api.routes.texts import YamlResponse, described
from api.services import fabric_versions
from api.services.fabrics import change_fabric, get_fabric
from tuner.documents import catalogue

router = APIRouter(tags=["fabrics"])

_MOST = 2**31 - 1
VersionNumber = Annotated[int, Path(ge=1, le=_MOST, description="Number of a version, from 1.")]


def _document(row: FabricVersion, current: int) -> VersionOut:
    return VersionOut(
        version=row.version,
        origin=row.origin,
        current=row.version == current,
        differences=None if row.changes is None else [DifferenceOut.model_validate(one) for one in row.changes],
        created_at=row.created_at,
        created_by=row.created_by,
    )


@router.get("/fabrics/{fabric}/versions", response_model=Page[VersionOut])
def list_fabric_versions(principal: Viewer, session: Reading, fabric: FabricName, page: Paging) -> object:
    """List the versions of a fabric's wiring, newest first. The last 50 are kept."""
    get_fabric(session, fabric)
    items, cursor = fabric_versions.list_versions(session, fabric, page)
    current = fabric_versions.current_version(session, fabric)
    return {"items": [_document(row, current) for row in items], "next_cursor": cursor}


@router.get(
    "/fabrics/{fabric}/versions/{version}/document",
    response_class=YamlResponse,
    responses=described("A fabric document.") | also(Conflict),
)
def get_fabric_version_document(principal: Viewer, session: Reading, fabric: FabricName, version: VersionNumber) -> Response:
    """Return the fabric document of a version."""
    get_fabric(session, fabric)
    text = fabric_versions.version_text(fabric_versions.get_version(session, fabric, version))
    return YamlResponse(text)


@router.get("/fabrics/{fabric}/versions/{version}/topology", responses=also(Conflict))
def get_fabric_version_topology(principal: Viewer, session: Reading, fabric: FabricName, version: VersionNumber) -> PictureOut:
    """Return the picture of a version, as `get_fabric_topology` does, without congestion."""
    get_fabric(session, fabric)
    document = fabric_versions.version_document(fabric_versions.get_version(session, fabric, version))
    return PictureOut.model_validate(topology_of(document).view())


@router.post("/fabrics/{fabric}/versions/{version}/restore", responses=also(Busy))
def restore_fabric_version(
    principal: Admin,
    settings: CurrentSettings,
    session: Writing,
    fabric: FabricName,
    version: VersionNumber,
    response: Response,
    if_match: IfMatch = None,
) -> VersionOut:
    """Give a fabric the wiring of a version again, as its next version. Campaigns keep the wiring that they were made with.
    Refused while a job or campaign works on the fabric."""
    found = get_fabric(session, fabric, locked=True)
    require_match(if_match, found.revision, f"fabric '{fabric}'")
    row = fabric_versions.get_version(session, fabric, version)
    current = fabric_versions.current_version(session, fabric)
    if version == current:
        raise Conflict(f"Version {version} is the present one of fabric '{fabric}'; an older one can be restored.")
    others = {key: value for key, value in found.options.items() if key not in fabric_versions.WIRING}
    change_fabric(
        session,
        principal,
        settings,
        found,
        description=None,
        options=others | row.wiring,
        second_person=None,
        origin=f"version {version} restored",
    )
    set_etag(response, found.revision)
    number = fabric_versions.current_version(session, fabric)
    return _document(fabric_versions.get_version(session, fabric, number), number)


@router.get("/packaged-fabrics", response_model=Page[PackagedFabric])
def list_packaged_fabrics(principal: Viewer, page: Paging) -> object:
    """List the fabrics that come with ibcc, whose names `create_fabric` takes as `options.fabric`."""
    names, cursor = paginate_list(catalogue.names("fabric"), str, page)
    documents = [(name, packaged_fabric(name)) for name in names]
    items = [
        PackagedFabric(name=name, switches=len(document.switches), hosts=len(document.hosts), links=len(document.links))
        for name, document in documents
    ]
    return {"items": items, "next_cursor": cursor}
