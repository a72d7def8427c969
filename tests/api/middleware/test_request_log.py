# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The log of requests, and that no secret is in any log."""

import logging
from datetime import timedelta
from typing import Any

import pytest

from api.base.logs import configure
from api.base.times import now, rfc3339
from tests.api.service import PASSWORD, Service


def test_no_log_has_a_secret(service: Service, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """All that is written at the most talkative level, while secrets go in and out, and while the service fails."""
    root = logging.getLogger()
    before = root.handlers, root.level
    for how in ("json", "console"):
        configure(how, "debug")
        try:
            browser = service.in_browser("admin")
            expires = rfc3339(now() + timedelta(days=30))
            made = browser.post("/api/v1/tokens", json={"name": "x", "role": "viewer", "expires_at": expires}).json()
            client = service.anonymous()
            client.headers["Authorization"] = f"Bearer {made['secret']}"
            client.get("/api/v1/session", params={"secret": "in-a-query"})
            client.post("/api/v1/setup", json={"token": "setup-secret", "username": "x", "password": "tiny-pass"})
            service.anonymous().post("/api/v1/session", json={"username": "admin", "password": "mistyped-password"})

            def fails(local: str = made["secret"]) -> None:  # tracebacks can show the values of variables
                raise ZeroDivisionError(len(local))

            with monkeypatch.context() as broken:
                broken.setattr(service.database, "reading", fails)
                assert client.get("/api/v1/session").status_code == 500
        finally:
            root.handlers, level = before[0], before[1]
            root.setLevel(level)
            logging.captureWarnings(False)
        written = "".join(capfd.readouterr())
        assert "ZeroDivisionError" in written
        assert "/api/v1/session" in written
        cookie = browser.cookies["ibcc_session"]
        csrf = browser.headers["X-CSRF-Token"]
        for secret in (PASSWORD, made["secret"], cookie, csrf, "in-a-query", "setup-secret", "tiny-pass", "mistyped-password"):
            assert secret not in written, (how, secret)


def test_a_request_is_one_line(service: Service, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    answer = service.anonymous().get("/api/v1/version", params={"q": "x"})
    lines: list[Any] = [record.msg for record in caplog.records]
    (line,) = [line for line in lines if isinstance(line, dict) and line["event"] == "request"]
    assert (line["method"], line["path"], line["status"]) == ("GET", "/api/v1/version", 422)
    assert line["request_id"] == answer.headers["X-Request-Id"]
