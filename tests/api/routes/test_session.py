# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Logging in and out, the first start, and what attackers try with both."""

from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from api.access.roles import Role
from api.base.times import now
from api.configuration.settings import Settings
from api.database.models.audit_entry import AuditEntry
from api.database.models.login_failure import LoginFailure
from api.database.models.login_session import LoginSession
from api.services import setup
from tests.api.service import PASSWORD, URL, Service


def setup_secret(service: Service) -> str:
    with service.database.writing() as session:
        return setup.new_setup_secret(session)


def log_in(client: TestClient, username: str = "viewer", password: str = PASSWORD) -> int:
    return client.post("/api/v1/session", json={"username": username, "password": password}).status_code


def actions(service: Service) -> list[str]:
    with service.database.reading() as session:
        return list(session.scalars(select(AuditEntry.action).order_by(AuditEntry.id)))


def test_the_link_makes_the_first_admin_once(any_service: Service) -> None:
    client = any_service.anonymous()
    assert client.get("/api/v1/setup").json() == {"needed": True}
    body = {"token": setup_secret(any_service), "username": "Anna", "password": PASSWORD}
    answer = client.post("/api/v1/setup", json=body)
    assert answer.status_code == 201
    assert answer.json()["user"]["role"] == "admin"
    assert client.get("/api/v1/users").json()["items"][0]["username"] == "anna"  # logged in
    assert client.get("/api/v1/setup").json() == {"needed": False}
    again = any_service.anonymous().post("/api/v1/setup", json=body | {"username": "eve"})
    assert (again.status_code, again.json()["type"]) == (409, "/problems/conflict")
    assert actions(any_service) == ["user.create", "session.start"]


def test_a_restart_makes_the_old_link_worthless(service: Service) -> None:
    old, new = setup_secret(service), setup_secret(service)
    body = {"username": "anna", "password": PASSWORD}
    assert service.anonymous().post("/api/v1/setup", json={"token": old, **body}).status_code == 403
    assert service.anonymous().post("/api/v1/setup", json={"token": "", **body}).status_code == 403
    assert service.anonymous().post("/api/v1/setup", json={"token": new, **body}).status_code == 201


def test_without_a_link_there_is_no_first_admin(service: Service) -> None:
    answer = service.anonymous().post("/api/v1/setup", json={"token": "x", "username": "eve", "password": PASSWORD})
    assert answer.status_code == 403


def test_a_login_gives_a_cookie_that_scripts_and_other_sites_do_not_get(service: Service) -> None:
    service.add_person(Role.VIEWER)
    client = service.anonymous()
    answer = client.post("/api/v1/session", json={"username": "VIEWER", "password": PASSWORD})
    assert answer.status_code == 201
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("ibcc_session=")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    assert client.get("/api/v1/session").json() == answer.json()
    assert "password" not in answer.text


def test_over_https_the_cookie_stays_there(service: Service) -> None:
    service.add_person(Role.VIEWER)
    client = TestClient(service.app, base_url="https://localhost")
    answer = client.post("/api/v1/session", json={"username": "viewer", "password": PASSWORD})
    assert "Secure" in answer.headers["set-cookie"].split("; ")
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"


@pytest.mark.parametrize(
    ("username", "password"), [("viewer", "wrong password"), ("nobody", PASSWORD), ("disabled", PASSWORD), ("viewer", "")]
)
def test_all_refusals_say_the_same(service: Service, username: str, password: str) -> None:
    service.add_person(Role.VIEWER)
    gone = service.add_person(Role.VIEWER, "disabled")
    admin = service.as_role("admin")
    assert admin.patch(f"/api/v1/users/{gone}", json={"disabled": True}, headers={"If-Match": '"1"'}).status_code == 200
    answer = service.anonymous().post("/api/v1/session", json={"username": username, "password": password})
    assert answer.status_code == 401
    assert answer.json()["detail"] == "The name or the password is wrong, or the account is disabled."
    assert "set-cookie" not in answer.headers
    assert actions(service)[-1] == "session.refused"


def test_a_login_replaces_the_session_that_the_browser_had(service: Service) -> None:
    """Session fixation: a secret that somebody planted, or knew before, is not the one that is logged in."""
    service.add_person(Role.VIEWER)
    client = service.anonymous()
    client.cookies.set("ibcc_session", "planted", domain="localhost.local", path="/")
    assert log_in(client) == 201
    first = client.cookies["ibcc_session"]
    assert first != "planted"
    assert log_in(client) == 201
    second = client.cookies["ibcc_session"]
    assert second != first
    stale = service.anonymous()
    stale.headers["Cookie"] = f"ibcc_session={first}"
    assert stale.get("/api/v1/session").status_code == 401


def test_logging_out_ends_the_session_on_the_server_too(service: Service) -> None:
    client = service.in_browser("viewer")
    secret = client.cookies["ibcc_session"]
    answer = client.delete("/api/v1/session")
    assert answer.status_code == 204
    assert 'ibcc_session="";' in answer.headers["set-cookie"]
    client = service.anonymous()
    client.headers["Cookie"] = f"ibcc_session={secret}"
    assert client.get("/api/v1/session").status_code == 401
    assert actions(service)[-1] == "session.end"


def test_what_changes_something_needs_the_csrf_token(service: Service) -> None:
    client = service.in_browser("viewer")
    token = client.headers.pop("X-CSRF-Token")
    other = service.in_browser("operator").headers["X-CSRF-Token"]
    for wrong in ({}, {"X-CSRF-Token": ""}, {"X-CSRF-Token": other}, {"X-CSRF-Token": token[:-1]}, {"X-CSRF-Token": "ä"}):
        answer = client.delete("/api/v1/session", headers={k.encode(): v.encode() for k, v in wrong.items()})
        assert (answer.status_code, answer.json()["type"]) == (403, "/problems/forbidden"), wrong
    assert client.get("/api/v1/session").json()["csrf_token"] == token
    assert client.delete("/api/v1/session", headers={"X-CSRF-Token": token}).status_code == 204


@pytest.mark.parametrize("path", ["/api/v1/session", "/api/v1/setup"])
def test_other_sites_cannot_log_their_visitors_in(service: Service, path: str) -> None:
    service.add_person(Role.VIEWER)
    body = {"username": "viewer", "password": PASSWORD} | ({"token": "x"} if path.endswith("setup") else {})
    for site in ("cross-site", "same-site"):
        answer = service.anonymous().post(path, json=body, headers={"Sec-Fetch-Site": site})
        assert answer.status_code == 403
        assert "another site" in answer.json()["detail"]
    # What a form of another site can send without asking is not read at all.
    for media_type in ("text/plain", "application/x-www-form-urlencoded", ""):
        form = service.anonymous().post(path, content=b'{"username": "viewer"}', headers={"Content-Type": media_type})
        assert form.status_code == 415


def test_guessing_is_slowed_down(service: Service, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    service.add_person(Role.VIEWER)
    client = service.anonymous()
    # The hash takes long on purpose; here it is not what is looked at.
    monkeypatch.setattr("api.access.passwords.verify_password", lambda given, known: given == PASSWORD and known is not None)
    for _ in range(settings.login_failures):
        assert log_in(client, password="wrong") == 401
    answer = client.post("/api/v1/session", json={"username": "viewer", "password": PASSWORD})
    assert answer.status_code == 429  # even with the right one, or guessing would go on
    assert answer.json()["type"] == "/problems/too-many-requests"
    assert 1 <= int(answer.headers["Retry-After"]) <= settings.login_window_s
    assert log_in(client, "somebody-else", "wrong") == 401  # others at this address are not locked out
    with service.database.writing() as session:
        for failure in session.scalars(select(LoginFailure)):
            failure.at -= timedelta(seconds=settings.login_window_s)
    assert log_in(client) == 201
    with service.database.reading() as session:
        assert list(session.scalars(select(LoginFailure))) == []


@pytest.mark.long
def test_one_address_cannot_try_all_names(service: Service, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.access.passwords.verify_password", lambda given, known: False)
    client = service.anonymous()
    answers = [log_in(client, f"name{number}", "guess") for number in range(settings.login_failures * 5 + 1)]
    assert answers == [401] * settings.login_failures * 5 + [429]


def test_a_network_of_ipv6_cannot_try_all_names(service: Service, settings: Settings) -> None:
    """One subscriber has 2^64 addresses."""
    answers = []
    for number in range(settings.login_failures * 5 + 1):
        client = TestClient(service.app, base_url=URL, client=(f"2001:db8::{number:x}", 50000))
        answers.append(log_in(client, f"name{number}", "guess"))
    assert answers == [401] * settings.login_failures * 5 + [429]
    assert log_in(TestClient(service.app, base_url=URL, client=("2001:db8:0:1::1", 50000))) == 401


@pytest.mark.parametrize(("column", "seconds"), [("expires_at", 0), ("used_at", 8 * 3600)])
def test_sessions_end_after_their_time(service: Service, column: str, seconds: int) -> None:
    client = service.in_browser("viewer")
    assert client.get("/api/v1/session").status_code == 200
    with service.database.writing() as session:
        for found in session.scalars(select(LoginSession)).unique():
            setattr(found, column, now() - timedelta(seconds=seconds))
    answer = client.get("/api/v1/session")
    assert answer.status_code == 401
    assert answer.json()["detail"] == "The session has ended; log in again."


def test_the_cookies_secret_is_not_in_the_database(service: Service) -> None:
    client = service.in_browser("viewer")
    secret = client.cookies["ibcc_session"]
    service.database.close()
    stored = b"".join(file.read_bytes() for file in service.settings.state_folder.glob("ibcc.db*"))
    assert b"login_sessions" in stored
    assert secret.encode() not in stored
    assert PASSWORD.encode() not in stored
    assert b"$argon2id$v=19$" in stored
