# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Bodies have a largest size, said beforehand or not."""

from collections.abc import Iterator

from api.settings import Settings
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


def test_what_fits_is_read(service: Service) -> None:
    body = b'{"username": "nobody", "password": "wrong password"' + b" " * 100_000 + b"}"
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
        answer = service.anonymous().post("/api/v1/session", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code in (400, 422), (body[:20], answer.text)
        assert answer.headers["Content-Type"] == "application/problem+json"
