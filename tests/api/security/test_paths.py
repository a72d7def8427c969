# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Paths in places of names: no request reads or writes a file that it names."""

from pathlib import Path
from typing import Any

import pytest

from api.access.roles import Role
from tests.api.answer_cases import Operation, World

ENCODED = (
    "..",
    "%2e%2e",
    "..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "..%5c..%5cetc%5cpasswd",
    "%2fetc%2fpasswd",
    "a%00b",
    "%252e%252e%252fetc%252fpasswd",
    "%c0%ae%c0%ae%c0%afetc%c0%afpasswd",
)
"""As they go over the wire in a path."""

PLAIN = ("../../../../../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "..", "~/.ssh/id_rsa", "a/../../b")
"""As they stand in a body or a query."""


def some_always(texts: tuple[str, ...], *always: str) -> list[Any]:
    """The texts as parameters; `make test` sends those in `always` everywhere, and `make test-all` each of them."""
    return [text if text in always else pytest.param(text, marks=pytest.mark.slow) for text in texts]


def files_of(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if not file.name.startswith("ibcc.db")}


@pytest.mark.thorough
@pytest.mark.long
@pytest.mark.parametrize("text", some_always(ENCODED, "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "a%00b"))
def test_in_every_part_of_every_path(text: str, world: World, every_operation: list[Operation]) -> None:
    sent = 0
    for operation in every_operation:
        for parameter in operation.parameters("path"):
            answer = world.send(operation, path={parameter["name"]: text})
            assert 400 <= answer.status_code < 500 or operation.method == "get", (operation.name, answer.text)
            assert answer.status_code < 500, (operation.name, answer.text)
            assert "root:" not in answer.text, operation.name
            sent += 1
    assert sent > 35


@pytest.mark.long
@pytest.mark.parametrize("text", some_always(PLAIN, "../../../../../../etc/passwd", "/etc/passwd"))
def test_in_every_text_of_every_body(text: str, world: World, every_operation: list[Operation]) -> None:
    before = files_of(world.service.settings.state_folder)
    sent = 0
    for operation in every_operation:
        for field, value in (operation.example or {}).items():
            if not isinstance(value, str | dict):
                continue
            hostile = text if isinstance(value, str) else dict.fromkeys(value, text)
            answer = world.send(operation, json=operation.example | {field: hostile})
            assert answer.status_code < 500, (operation.name, field, answer.text)
            assert "root:" not in answer.text, (operation.name, field)
            sent += 1
    assert sent > 25
    assert files_of(world.service.settings.state_folder) == before
    assert not Path("/etc/passwd.yaml").exists()


@pytest.mark.parametrize("text", ENCODED)
def test_of_the_pages_files(world: World, text: str) -> None:
    client = world.service.anonymous()
    for path in (f"/{text}", f"/assets/{text}", f"/assets/{text}/{text}/etc/passwd"):
        answer = client.get(path)
        assert answer.status_code in (200, 404), (path, answer.status_code)
        assert "root:" not in answer.text
        assert answer.status_code == 404 or answer.headers["Content-Type"].startswith("text/html"), path


@pytest.mark.long
def test_an_inventory_has_no_file_read_when_it_is_stored(world: World, tmp_path: Path) -> None:
    """It names files and programs, which campaigns and checks use. Whoever writes it learns nothing of what is in them."""
    secret = tmp_path / "secret"
    secret.write_text("root: is here\n")
    admin = world.clients[Role.ADMIN]
    where = "/api/v1/fabrics/pair/inventory"
    hosts = "ibcc_inventory: 1\nname: x\nlauncher: {kind: ssh}\nhosts: [{nodes: 'n[1-2]', host: 'H{number}'}]\n"
    for path in (*PLAIN, str(secret), f"./{secret.name}"):
        for part in (
            f"fabric: '{path}'",
            f"agent: {{command: ['{path}']}}",
            f"abort_if: {{jobs: [{{name: a, file: '{path}', at_most: 1}}]}}",
            f"subnet_manager: {{socket: '{path}'}}",
        ):
            answer = admin.put(where, json={"document": f"{hosts}{part}\n"}, headers={"If-None-Match": "*"})
            assert answer.status_code in (201, 422), (part, answer.text)
            assert "is here" not in answer.text, part
            assert answer.status_code == 422 or not part.startswith("fabric"), part
            if answer.status_code == 201:
                assert admin.delete(where, headers={"If-Match": "*"}).status_code == 204


@pytest.mark.long
def test_documents_name_no_files(world: World) -> None:
    """Where a document refers to another one, by name: relative paths, absolute ones, and patterns that read traces."""
    operator, admin = world.clients[Role.OPERATOR], world.clients[Role.ADMIN]
    flows = "flows: [{name: V, src: H1, dst: H4, role: victim}]\n"
    for path in (*PLAIN, "./two-switch", "two-switch.yaml"):
        if path == "..":  # a name that nothing has
            continue
        start = f"ibcc_workload: 1\nname: x\nfabric: '{path}'\nduration_s: 1\n"
        trace = f"patterns: [{{kind: trace, name: t, role: other, file: '{path}'}}]\n"
        workload, trace = start + flows, start.replace(path, "two-switch") + trace
        for document in (workload, trace):
            answer = operator.post("/api/v1/workloads", json={"name": "x", "document": document})
            assert (answer.status_code, "root:" in answer.text) == (422, False), (path, answer.text)
        for part in ("workloads", "expert", "baseline", "profiles", "fabric", "space.file", "storage"):
            body = {"name": "x", "fabric": "two-switch", "template": "scenario-1", "settings": {part: path}}
            answer = operator.post("/api/v1/campaigns", json=body)
            assert answer.status_code in (404, 422), (part, path, answer.text)
            assert "root:" not in answer.text
        options = {"name": "x", "kind": "simulated", "options": {"fabric": path}}
        refused = admin.post("/api/v1/fabrics", json=options)
        assert (refused.status_code, "root:" in refused.text) == (422, False), path
