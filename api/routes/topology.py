# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric's picture: topology, congestion, links and paths."""

from typing import Annotated, TypeAlias

from fastapi import APIRouter, Query

from api.access.dependencies import Reading, Viewer
from api.base.problems import Conflict, InvalidInput
from api.documents.topology import CongestionOut, FoundNodes, LinkRow, Measured, PathOut, TopologyChanges, TopologyOut
from api.http.openapi import also
from api.http.pages import Page, Paging, paginate_list
from api.routes.database import CurrentDatabase
from api.routes.fields import FabricName, Text
from api.services import fabrics
from api.services.congestion_documents import congestion_document, seen_congestion
from api.services.fabric_devices import connected_or_remembered, watched_now
from api.services.path_documents import link_rows, path_document
from api.services.topology_documents import found_nodes, require_wiring, topology_changes, topology_document
from tuner.errors import BadInputError

router = APIRouter(tags=["fabrics"])

Expanded: TypeAlias = Annotated[
    list[Annotated[str, Query(max_length=64)]] | None,
    Query(max_length=32, description="Identifiers of groups to expand."),
]
Cc: TypeAlias = Annotated[
    Measured | None,
    Query(description="Profile whose congestion a simulated fabric shows; by default the recommendation."),
]
_GUID = r"^0x[0-9a-f]{16}$"


@router.get("/fabrics/{fabric}/topology", responses=also(Conflict))
def get_fabric_topology(
    principal: Viewer,
    session: Reading,
    database: CurrentDatabase,
    fabric: FabricName,
    expand: Expanded = None,
    cc: Cc = None,
) -> TopologyOut:
    """Return switches by level, and hosts. Rows of more than 48 nodes are collapsed into groups; at most 600 nodes are
    returned."""
    found = fabrics.get_fabric(session, fabric)
    with connected_or_remembered(session, database, found) as driver:
        try:
            return topology_document(driver, found, expand or (), cc, watched_now(session, fabric))
        except BadInputError as error:
            raise InvalidInput.of_field("expand", error.sentence) from error


@router.get("/fabrics/{fabric}/topology/changes", responses=also(Conflict))
def get_fabric_topology_changes(
    principal: Viewer,
    session: Reading,
    database: CurrentDatabase,
    fabric: FabricName,
    since: Annotated[Text, Query(max_length=64, description="Version of the picture that the client has.", examples=["0"])],
    expand: Expanded = None,
    cc: Cc = None,
) -> TopologyChanges:
    """Return the nodes and links that differ since a version of the picture, with the same `expand`."""
    found = fabrics.get_fabric(session, fabric)
    with connected_or_remembered(session, database, found) as driver:
        try:
            return topology_changes(topology_document(driver, found, expand or (), cc, watched_now(session, fabric)), since)
        except BadInputError as error:
            raise InvalidInput.of_field("expand", error.sentence) from error


@router.get("/fabrics/{fabric}/topology/nodes", responses=also(Conflict))
def find_fabric_nodes(
    principal: Viewer,
    session: Reading,
    database: CurrentDatabase,
    fabric: FabricName,
    q: Annotated[
        Text, Query(min_length=1, max_length=100, description="Part of a name or of a GUID, or a LID.", examples=["H1"])
    ],
) -> FoundNodes:
    """Find nodes of the picture, and the groups to expand until it shows them."""
    found = fabrics.get_fabric(session, fabric)
    with connected_or_remembered(session, database, found) as driver:
        return found_nodes(require_wiring(driver, fabric), q)


@router.get("/fabrics/{fabric}/links", responses=also(Conflict), response_model=Page[LinkRow])
def list_fabric_links(
    principal: Viewer,
    session: Reading,
    database: CurrentDatabase,
    fabric: FabricName,
    page: Paging,
    q: Annotated[Text | None, Query(max_length=100, description="Part of the name or the GUID of an end.")] = None,
    cc: Cc = None,
) -> object:
    """List the cables, by the GUIDs of their ends."""
    found = fabrics.get_fabric(session, fabric)
    down = watched_now(session, fabric).down
    with connected_or_remembered(session, database, found) as driver:
        rows = list(link_rows(require_wiring(driver, fabric), q, seen_congestion(driver, found, cc), down))
    items, cursor = paginate_list(rows, lambda link: f"{link.a.guid}/{link.a.port:03}", page)
    return {"items": items, "next_cursor": cursor}


@router.get("/fabrics/{fabric}/path", responses=also(Conflict))
def get_fabric_path(
    principal: Viewer,
    session: Reading,
    database: CurrentDatabase,
    fabric: FabricName,
    source: Annotated[str, Query(alias="from", pattern=_GUID, description="GUID of a host.", examples=["0x0000000000000300"])],
    destination: Annotated[str, Query(alias="to", pattern=_GUID, description="GUID of a host.", examples=["0x0000000000000400"])],
    expand: Expanded = None,
    cc: Cc = None,
) -> PathOut:
    """Return the path from one host to another, by the forwarding tables."""
    found = fabrics.get_fabric(session, fabric)
    with connected_or_remembered(session, database, found) as driver:
        require_wiring(driver, fabric)
        try:
            return path_document(driver, source, destination, expand or (), seen_congestion(driver, found, cc))
        except BadInputError as error:
            raise InvalidInput.of_field("expand", error.sentence) from error


@router.get("/fabrics/{fabric}/congestion")
def get_fabric_congestion(
    principal: Viewer,
    session: Reading,
    database: CurrentDatabase,
    fabric: FabricName,
    cc: Cc = None,
    devices: Annotated[bool, Query(description="False leaves out the devices, and returns the worst ports alone.")] = True,
) -> CongestionOut:
    """Return where congestion was, the worst first, from CongestionLogs; for a simulated fabric, from its last measurement."""
    found = fabrics.get_fabric(session, fabric)
    with connected_or_remembered(session, database, found) as driver:
        return congestion_document(driver, found, cc, devices=devices)
