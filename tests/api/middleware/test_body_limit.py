# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Bodies have a largest size, said beforehand or not."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import Request

from api.access import dependencies
from api.access.principal import Principal
from api.configuration.settings import Settings
from api.middleware.body_limit import STRANGERS_BYTES
from tests.api.service import Service


def test_a_body_that_says_it_is_too_large_is_refused_unread(service: Service, settings: Settings) -> None:
    answer = service.anonymous().post("/api/v1/session", content=b"{" + b" " * settings.body_limit_bytes)
    assert (answer.status_code, answer.json()["type"]) == (413, "/problems/too-large")
    assert str(settings.body_limit_bytes) in answer.json()["detail"]
    assert "Content-Security-Policy" in answer.headers


def test_a_body_in_pieces_is_refused_as_soon_as_it_is_too_large(service: Service, settings: Settings) -> None:
    read = 0

    def pieces() -> Iterator[bytes]:
        nonlocal read
        for _ in range(1000):
            read += 2**16
            yield b" " * 2**16

    headers = {"Content-Type": "application/json"}
    answer = service.anonymous().post("/api/v1/session", content=pieces(), headers=headers)
    assert (answer.status_code, answer.json()["type"]) == (413, "/problems/too-large")


@pytest.mark.parametrize("credentials", [{}, {"Authorization": "Bearer ibcc_wrong"}, {"Cookie": "ibcc_session=wrong"}])
@pytest.mark.parametrize("body", [b"{", b"[" * 2**20, b"\xff", b'{"name": 1}'])
def test_who_is_unknown_is_told_so_before_the_body_is_read(service: Service, credentials: dict[str, str], body: bytes) -> None:
    headers = {"Content-Type": "application/json", **credentials}
    answer = service.anonymous().post("/api/v1/campaigns", content=body, headers=headers)
    assert (answer.status_code, answer.json()["type"]) == (401, "/problems/unauthenticated")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert service.anonymous().post("/api/v1/fabric-imports", content=body, headers=credentials).status_code == 401


def test_nothing_of_a_strangers_body_is_parsed(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(self: Request) -> object:
        raise AssertionError("the body was parsed")

    monkeypatch.setattr(Request, "json", fails)
    answer = service.anonymous().post("/api/v1/campaigns", json={"name": "x" * 7_000_000})
    assert answer.status_code == 401


@pytest.mark.parametrize("path", ["/api/v1/session", "/api/v1/setup", "/api/v1/welcome"])
def test_what_everybody_may_send_is_small(service: Service, path: str) -> None:
    client, headers = service.anonymous(), {"Content-Type": "application/json"}
    for content in (b" " * (STRANGERS_BYTES + 1), iter([b" " * 2**14] * 5)):
        answer = client.post(path, content=content, headers=headers)
        assert (answer.status_code, answer.json()["type"]) == (413, "/problems/too-large")
        assert str(STRANGERS_BYTES) in answer.json()["detail"]
    assert client.post(path, content=b" " * STRANGERS_BYTES, headers=headers).status_code in (400, 422)


def test_a_known_sender_is_looked_up_once(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    original = dependencies.identify

    def counting(request: Request, **how: bool) -> Principal:
        asked.append(request)
        return original(request, **how)

    monkeypatch.setattr(dependencies, "identify", counting)
    client = service.as_role("operator")
    answer = client.post("/api/v1/profiles", json={"name": "mine", "document": "#" * 200_000 + "\n"})
    assert (answer.status_code, len(asked)) == (422, 1)


def test_what_fits_is_read(service: Service) -> None:
    body = b'{"username": "nobody", "password": "wrong password"' + b" " * 60_000 + b"}"
    answer = service.anonymous().post("/api/v1/session", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 401


def test_bodies_that_break_readers(service: Service) -> None:
    """Deep, huge and broken JSON, and text that is not Unicode."""
    for body in (
        b"[" * 100_000,
        b'{"username": ' + b"9" * 5000 + b"}",
        b'{"username": "\xff"}',
        b'"',
        b"\0",
        b'{"a\\ud800": 1}',
        b"NaN",
    ):
        answer = service.as_role("operator").post("/api/v1/profiles", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code in (400, 422), (body[:20], answer.text)
        assert answer.headers["Content-Type"] == "application/problem+json"


def test_not_a_byte_of_a_strangers_body_is_asked_for(service: Service) -> None:
    """8 MB that wait in the connection take no memory and nobody's time."""
    asked: list[int] = []
    sent: list[Any] = []

    async def receive() -> Any:
        asked.append(1)
        return {"type": "http.request", "body": b"x" * 2**16, "more_body": True}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", b"application/json"), (b"content-length", b"8000000")]
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
    }
    scope |= {"path": "/api/v1/campaigns", "raw_path": b"/api/v1/campaigns", "query_string": b"", "root_path": ""}
    scope |= {"headers": headers, "client": ("127.0.0.1", 1), "server": ("localhost", 80)}
    asyncio.run(service.app(scope, receive, send))
    assert (sent[0]["status"], asked) == (401, [])
