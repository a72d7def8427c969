# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Request and response: clients ask servers, each with a number of requests open, as storage is read and written."""

from typing import Annotated, Literal

from tuner.document_base.model import ListOf, Within
from tuner.documents.expanded_flow import ExpandedFlow
from tuner.documents.flow import HostReference
from tuner.documents.patterns.base import PATTERNS, HostSelector, select_all
from tuner.documents.patterns.closed_loop import ClosedLoop
from tuner.errors import BadInputError


class RequestResponse(ClosedLoop):
    """Two flows for each client, NAME-request-1 and NAME-answer-1. A request is of `message_bytes`."""

    examples = (
        {"clients": ["H[1-6]"], "servers": ["H7", "H8"], "message_bytes": 256, "response_bytes": 32768, "window": 4},
        {"clients": ["H1"], "servers": ["H2"], "think_us": 5.0},
    )

    kind: Literal["request-response"]
    clients: ListOf[HostReference]
    """Hosts, or patterns of `*`, `?` and `[…]` over node descriptions; a host that is a server too is no client."""
    servers: ListOf[HostReference]
    """Named like `clients`. Each client has one server; clients are dealt out to servers in turn."""
    window: Annotated[int, Within(1, 65536)] = 1
    """Requests that a client has open at most."""
    response_bytes: Annotated[int, Within(1, 2**31)] = 65536
    """Size of each response."""

    def expand(self, hosts: HostSelector, duration_s: float) -> list[ExpandedFlow]:
        servers = select_all(hosts, self.servers)
        known = set(servers)
        clients = [client for client in select_all(hosts, self.clients) if client not in known]
        if not clients:
            raise BadInputError(f"pattern '{self.name}' finds no client that is not a server too; it needs at least one")
        return [
            flow
            for i, client in enumerate(clients)
            for flow in self.exchange(i, client, servers[i % len(servers)], window=self.window, answer_bytes=self.response_bytes)
        ]


PATTERNS.add("request-response", RequestResponse)
