# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The service opens no connection to where a request says (server-side request forgery)."""

import ast
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.access.roles import Role
from tests.api.answer_cases import Operation, World

API = Path(__file__).parents[3] / "api"
SPEAKERS = {"httpx2", "httpx", "requests", "urllib", "http", "ftplib", "smtplib", "socket", "aiohttp", "asyncio.open_connection"}
ALLOWED = {
    "client": "the client of the service",
    "cli": "commands, not the service",
    "base/identifiers.py": "the host's own name",
    "notifiers": "messages to addresses that stand in the settings file",
    "server/serving.py": "the socket that the service listens on",
}
"""Parts of api/ that import what can open connections, and why."""


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    """On loopback; whoever is made to call it has been forged."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def with_text(value: Any, text: str) -> Any:
    """All texts of a body replaced."""
    if isinstance(value, dict):
        return {key: with_text(one, text) for key, one in value.items()}
    return text if isinstance(value, str) else value


@pytest.mark.thorough
@pytest.mark.long
@pytest.mark.parametrize(
    "address", ["http://{}/", *(pytest.param(one, marks=pytest.mark.slow) for one in ("{}", "postgresql://{}/x", "tcp://{}"))]
)
def test_an_address_in_any_field_is_not_called(
    address: str, world: World, every_operation: list[Operation], listening: socket.socket
) -> None:
    address = address.format(f"127.0.0.1:{listening.getsockname()[1]}")
    sent = 0
    for operation in every_operation:
        for parameter in operation.parameters("query"):
            world.send(operation, params={parameter["name"]: address})
            sent += 1
        for field, value in (operation.example or {}).items():
            answer = world.send(operation, json=operation.example | {field: with_text(value, address)})
            assert answer.status_code < 500, (operation.name, field, answer.text)
            sent += 1
    assert sent > 50
    with pytest.raises(BlockingIOError):
        listening.accept()


def test_a_fabric_or_a_header_with_an_address_calls_nobody(world: World, listening: socket.socket) -> None:
    port = listening.getsockname()[1]
    for kind in ("plugin", "emulated", "simulated"):
        for key in ("socket", "fabric", "document", "url"):
            body = {"name": "forged", "kind": kind, "options": {key: f"http://127.0.0.1:{port}/"}}
            answer = world.clients[Role.ADMIN].post("/api/v1/fabrics", json=body)
            assert answer.status_code == 422, (body, answer.text)
    for headers in (
        {"Host": f"127.0.0.1:{port}"},
        {"X-Forwarded-Host": f"127.0.0.1:{port}"},
        {"Referer": f"http://127.0.0.1:{port}/"},
    ):
        world.service.anonymous().get("/api/v1/version", headers=headers)
    with pytest.raises(BlockingIOError):
        listening.accept()


def test_an_inventory_that_is_stored_calls_nobody(world: World, listening: socket.socket) -> None:
    """Its addresses are called by checks and campaigns, and by those alone."""
    port = listening.getsockname()[1]
    document = (
        f"ibcc_inventory: 1\nname: x\nlauncher: {{kind: ssh, target: 127.0.0.1}}\n"
        f"hosts: [{{nodes: n1, host: H1, address: 127.0.0.1, tcp_ports: [{port}, {port}]}}]\n"
    )
    admin, where = world.clients[Role.ADMIN], "/api/v1/fabrics/pair/inventory"
    assert admin.put(where, json={"document": document}, headers={"If-None-Match": "*"}).status_code == 201
    assert admin.get(where).status_code == 200
    assert len(admin.get("/api/v1/fabrics/pair/hosts").json()["items"]) == 1
    assert admin.delete(where, headers={"If-Match": "*"}).status_code == 204
    with pytest.raises(BlockingIOError):
        listening.accept()


def test_campaigns_cannot_say_where_they_are_kept_or_measured(world: World) -> None:
    """Backends, storages and clusters have settings that are addresses; those are an administrator's."""
    spec = {"name": "x", "fabric": "two-switch", "template": "scenario-1"}
    for key in ("backend.socket", "backend.plugin", "backend.driver", "backend.address", "storage", "cluster", "dask"):
        answer = world.clients[Role.OPERATOR].post("/api/v1/campaigns", json=spec | {"settings": {key: "tcp://127.0.0.1:1"}})
        assert answer.status_code == 422, (key, answer.text)


@pytest.mark.long
def test_only_known_parts_can_open_connections() -> None:
    found = set()
    for file in API.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            if {name.partition(".")[0] for name in names if name != "urllib.parse"} & SPEAKERS:
                place = str(file.relative_to(API))
                found.add(next((one for one in ALLOWED if place == one or place.startswith(f"{one}/")), place))
    assert found <= ALLOWED.keys()
