# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Loop-back tests inside the hosts of a fabric, and watches of the ports to them."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import JSONResponse
from pydantic import ConfigDict, Field

from api.access.dependencies import Operator, Reading, Viewer, Writing
from api.documents.host_paths import FleetOut, HostPathsOut, HostPathsRow, PathVerdict
from api.documents.jobs import JobDocument
from api.http.idempotency import OnlyOnce
from api.http.pages import Page, Paging, contains, paginate_list
from api.queue.table import accepted_once
from api.routes.fields import Body, FabricName, Text
from api.services import host_paths
from api.services.fabrics import get_fabric
from tuner.documents.node_sets import NODE

router = APIRouter(tags=["hosts"])


class PathsBody(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"triggered": False}]})

    nodes: (
        Annotated[Text, Field(max_length=10_000, description="Nodes to test, as a NodeSet: `node[01-16]`; by default all.")]
        | None
    ) = None
    triggered: Annotated[bool, Field(description="True to test busy hosts too, as their counters ask for it.")] = False


class WatchBody(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"seconds": 10}]})

    seconds: Annotated[int, Field(ge=1, le=300, description="Length of the watch, in seconds.")] = 10
    test: Annotated[bool, Field(description="True to test the hosts whose counters ask for it then.")] = False


_ALL, _USUAL = PathsBody(), WatchBody()


@router.get("/fabrics/{fabric}/hosts/paths")
def get_fleet(principal: Viewer, session: Reading, fabric: FabricName) -> FleetOut:
    """Return the hosts that differ from others of their model, by the last tests inside each. Empty without tests or an
    inventory."""
    return host_paths.fleet(session, get_fabric(session, fabric))


@router.get("/fabrics/{fabric}/hosts/paths/nodes", response_model=Page[HostPathsRow])
def list_host_paths(
    principal: Viewer,
    session: Reading,
    fabric: FabricName,
    page: Paging,
    q: Annotated[Text | None, Query(max_length=100, description="Part of the name of the node or host.")] = None,
    verdict: Annotated[PathVerdict | None, Query(description="Verdict of the last tests.")] = None,
) -> object:
    """List the hosts of the inventory by node, with the verdict of the last tests inside each."""
    rows = [
        host
        for host in host_paths.list_paths(session, get_fabric(session, fabric))
        if contains(q, host.node, host.host) and verdict in (None, host.verdict)
    ]
    items, cursor = paginate_list(rows, lambda row: row.node, page)
    return {"items": items, "next_cursor": cursor}


@router.get("/fabrics/{fabric}/hosts/paths/nodes/{node}")
def get_host_paths(
    principal: Viewer,
    session: Reading,
    fabric: FabricName,
    node: Annotated[str, Path(pattern=f"^{NODE.pattern}$", description="Node of the inventory.", examples=["node1"])],
) -> HostPathsOut:
    """Return the matrix of a host, adapters by endpoints, with the state of each link."""
    return host_paths.get_paths(session, get_fabric(session, fabric), node)


@router.post("/fabrics/{fabric}/hosts/paths", status_code=202, response_model=JobDocument)
def ping_hosts(principal: Operator, session: Writing, once: OnlyOnce, fabric: FabricName, body: PathsBody = _ALL) -> JSONResponse:
    """Test the paths inside hosts by loop-back, and name slow links. Busy hosts are left out. Nothing on the fabric changes.
    Refused during a measurement on the hosts."""
    return once(
        session,
        principal,
        body,
        lambda: accepted_once(
            principal,
            host_paths.request_paths(session, principal, get_fabric(session, fabric), body.nodes, is_triggered=body.triggered),
        ),
    )


@router.post("/fabrics/{fabric}/hosts/watch", status_code=202, response_model=JobDocument)
def watch_host_ports(
    principal: Operator, session: Writing, once: OnlyOnce, fabric: FabricName, body: WatchBody = _USUAL
) -> JSONResponse:
    """Watch the switches' ports to hosts, and tell which hosts withhold credits, drop or pause. Refused on a simulated fabric,
    and during a measurement on the hosts."""
    return once(
        session,
        principal,
        body,
        lambda: accepted_once(
            principal,
            host_paths.request_watch(session, principal, get_fabric(session, fabric), body.seconds, test=body.test),
        ),
    )


@router.delete("/fabrics/{fabric}/hosts/paths/baselines", status_code=204)
def forget_host_baselines(principal: Operator, session: Writing, fabric: FabricName) -> Response:
    """Forget what is normal for the models of hosts; the next tests say it anew, as after a change of firmware."""
    host_paths.forget_baselines(session, principal, get_fabric(session, fabric))
    return Response(status_code=204)
