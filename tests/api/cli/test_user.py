# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc user`: people, when nobody can log in."""

import io

import pytest

from api.configuration.settings import Settings
from tests.api.service import PASSWORD, Service
from tuner.cli.main import run


class Command:
    """Runs in this process; standard input is no terminal."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def run(self, *arguments: str, given: str = "", code: int = 0) -> str:
        """Standard output and error."""
        self._monkeypatch.setattr("sys.stdin", io.StringIO(given))
        assert run(["user", *arguments]) == code
        return "".join(self._capsys.readouterr())


@pytest.fixture
def user(settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.setenv("IBCC_STATE_FOLDER", str(settings.state_folder))
    return Command(monkeypatch, capsys)


def log_in(service: Service, password: str) -> int:
    answer = service.anonymous().post("/api/v1/session", json={"username": "anna", "password": password})
    return answer.status_code


@pytest.mark.long
def test_people_are_added_and_get_new_passwords(user: Command, settings: Settings) -> None:
    assert "anna can log in as admin" in user.run("add", "Anna", "--role", "admin", given="first password\n")
    assert user.run("list", "--output", "csv").startswith("username,role,state,created_at\nanna,admin,,20")
    service = Service(settings)
    assert log_in(service, "first password") == 201
    user.run("password", "ANNA", given="second password\n")
    assert log_in(service, "first password") == 401
    assert log_in(service, "second password") == 201
    entries = service.as_role("operator").get("/api/v1/audit?action=user").json()["items"]
    assert [(entry["action"], entry["via"]) for entry in entries] == [("user.change", "command"), ("user.create", "command")]
    service.close()


def test_sessions_and_tokens_end(user: Command, settings: Settings) -> None:
    user.run("add", "viewer", given=f"{PASSWORD}\n")
    service = Service(settings)
    browser, token = service.in_browser("viewer"), service.as_role("viewer")
    assert "viewer has no session any more (1 ended)" in user.run("end-sessions", "Viewer")
    assert (browser.get("/api/v1/session").status_code, token.get("/api/v1/session").status_code) == (401, 200)
    user.run("password", "viewer", "--keep-tokens", given="second password\n")
    assert token.get("/api/v1/session").status_code == 200
    assert "viewer has no token any more (1 ended)" in user.run("end-sessions", "viewer", "--tokens")
    assert token.get("/api/v1/session").status_code == 401
    token = service.as_role("viewer")
    user.run("password", "viewer", given="third password\n")
    assert token.get("/api/v1/session").status_code == 401
    assert "no user 'bert'" in user.run("end-sessions", "bert", code=2)
    service.close()


def test_what_is_refused(user: Command) -> None:
    user.run("add", "anna", "--role", "admin", given="first password\n")
    assert "only admin" in user.run("role", "anna", "viewer", code=2)
    assert "'anna' already" in user.run("add", "Anna", given="first password\n", code=2)
    assert "no user 'bert'" in user.run("password", "bert", given="first password\n", code=2)
    assert "a password of 5 characters is refused; 10 to 200" in user.run("add", "bert", given="short\n", code=2)
    assert "username '../x'" in user.run("add", "../x", given="first password\n", code=2)
