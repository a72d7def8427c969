# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The hosts of a fabric, and whether they are ready to be measured."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse
from pydantic import ConfigDict, Field

from api.access.dependencies import Operator, Reading, Viewer, Writing
from api.documents.hosts import HostOut, HostsCheckOut
from api.documents.jobs import JobDocument
from api.http.idempotency import OnlyOnce
from api.http.pages import Page, Paging, contains, paginate_list
from api.queue.table import accepted_once
from api.routes.fields import Body, FabricName, Text
from api.services import hosts
from api.services.fabrics import get_fabric
from tuner.hosts.checked_host import PATIENCE_S, Verdict

router = APIRouter(tags=["hosts"])


class CheckBody(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"patience_s": 60}]})

    nodes: (
        Annotated[Text, Field(max_length=10_000, description="Nodes to check, as a NodeSet: `node[01-16]`; by default all.")]
        | None
    ) = None
    patience_s: Annotated[float, Field(ge=1, le=3600, description="Time-out of each of the check's three steps, in seconds.")] = (
        PATIENCE_S
    )


_ALL = CheckBody()


@router.get("/fabrics/{fabric}/hosts", response_model=Page[HostOut])
def list_hosts(
    principal: Viewer,
    session: Reading,
    fabric: FabricName,
    page: Paging,
    q: Annotated[Text | None, Query(max_length=100, description="Part of the name of the node, host or address.")] = None,
    verdict: Annotated[Verdict | None, Query(description="Verdict of the last check.")] = None,
) -> object:
    """List the hosts of the inventory by node, with the result of the last check. Empty without an inventory."""
    rows = [
        host
        for host in hosts.list_hosts(session, get_fabric(session, fabric))
        if contains(q, host.node, host.host, host.address) and verdict in (None, host.verdict)
    ]
    items, cursor = paginate_list(rows, lambda host: host.node, page)
    return {"items": items, "next_cursor": cursor}


@router.get("/fabrics/{fabric}/hosts/check")
def get_hosts_check(principal: Viewer, session: Reading, fabric: FabricName) -> HostsCheckOut:
    """Return the findings of the last check, with remedies. Empty without a check or an inventory."""
    return hosts.last_check(session, get_fabric(session, fabric))


@router.post("/fabrics/{fabric}/hosts/check", status_code=202, response_model=JobDocument)
def check_hosts(
    principal: Operator, session: Writing, once: OnlyOnce, fabric: FabricName, body: CheckBody = _ALL
) -> JSONResponse:
    """Check programs, meter, devices, limits, ports and clocks of all hosts through their agents. Nothing on the fabric changes.
    Refused during a measurement on the hosts."""
    return once(
        session,
        principal,
        body,
        lambda: accepted_once(
            principal, hosts.request_check(session, principal, get_fabric(session, fabric), body.nodes, body.patience_s)
        ),
    )
