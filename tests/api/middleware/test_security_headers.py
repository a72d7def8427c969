# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Headers of every kind of answer."""

import pytest

from api.middleware.security_headers import CONTENT_SECURITY_POLICY
from tests.api.service import Service


@pytest.mark.parametrize(
    "path", ["/", "/api/v1/version", "/api/v1/users", "/api/v1/nothing", "/health", "/problems/x", "/assets/x"]
)
def test_every_answer_has_them(service: Service, path: str) -> None:
    headers = service.anonymous().get(path).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    for unsafe in ("unsafe-inline", "unsafe-eval", "*", "http:", "https:"):
        assert unsafe not in headers["Content-Security-Policy"]
    assert "Server" not in headers
    assert "Access-Control-Allow-Origin" not in headers
    if path.startswith("/api/"):
        assert headers["Cache-Control"] == "no-store"
        assert headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY


def test_a_failure_has_them_too(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise ZeroDivisionError("the database's password is hunter2")

    monkeypatch.setattr(service.database, "reading", fails)
    answer = service.anonymous().get("/api/v1/setup")
    assert (answer.status_code, answer.json()["type"]) == (500, "/problems/internal-error")
    assert "hunter2" not in answer.text
    assert answer.json()["request_id"] == answer.headers["X-Request-Id"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_other_sites_are_given_no_rights(service: Service) -> None:
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    answer = service.anonymous().options("/api/v1/session", headers=headers)
    assert answer.status_code == 405
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]
