# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Document of a watched fabric: the state of its devices and links."""

from fastapi import APIRouter

from api.access.dependencies import Reading, Viewer
from api.base.problems import Conflict
from api.documents.watches import WatchOut
from api.fabric_drivers.registry import FABRIC_KINDS
from api.http.openapi import also
from api.routes.fields import FabricName
from api.services.fabrics import get_fabric
from api.services.watch_documents import watch_document

router = APIRouter(tags=["fabrics"])


@router.get("/fabrics/{fabric}/watch", responses=also(Conflict))
def get_fabric_watch(principal: Viewer, session: Reading, fabric: FabricName) -> WatchOut:
    """Return the devices and links that are not as they should be: missing, new, not responding, drifted, or not cabled as
    imported. The service looks every two seconds; `stream_events` with the topic `fabric:NAME` reports changes. `verify_fabric`
    audits the devices now."""
    found = get_fabric(session, fabric)
    if not FABRIC_KINDS.get(found.kind).has_opensm:
        raise Conflict(f"Fabric '{fabric}' is of kind '{found.kind}', whose devices are always there: nothing watches it.")
    document = watch_document(session, fabric, principal.role)
    if document is not None:
        return document
    return WatchOut(
        fabric=fabric,
        reach="unseen",
        reach_since=None,
        reason=None,
        sm_state=None,
        current=False,
        as_of=None,
        audited_at=None,
        severity=None,
        counts=None,
        last=None,
        marked_devices=0,
        marked_links=0,
        devices=[],
        links=[],
    )
