# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""People, by an admin, and one's own password."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.access.roles import Role
from api.configuration.settings import Settings
from api.services import logins
from tests.api.fabric_service import FABRIC, once, with_default_fabric
from tests.api.service import PASSWORD, Service

NEW = {"username": "Anna", "password": "wrong donkey charger", "role": "operator"}


def log_in(service: Service, username: str, password: str) -> int:
    answer = service.anonymous().post("/api/v1/session", json={"username": username, "password": password})
    return answer.status_code


def test_a_person_is_added_changed_and_removed(any_service: Service) -> None:
    admin = any_service.as_role("admin")
    made = admin.post("/api/v1/users", json=NEW)
    assert made.status_code == 201
    user = made.json()
    assert user["username"] == "anna"
    assert made.headers["Location"] == f"/api/v1/users/{user['id']}"
    assert log_in(any_service, "anna", NEW["password"]) == 201

    read = admin.get(made.headers["Location"])
    assert user["last_login_at"] is None
    assert read.json() == user | {"last_login_at": read.json()["last_login_at"]}, "logged in since"
    assert read.json()["last_login_at"] is not None
    assert read.headers["ETag"] == made.headers["ETag"]
    changed = admin.patch(made.headers["Location"], json={"role": "viewer"}, headers={"If-Match": read.headers["ETag"]})
    assert changed.json() == read.json() | {"role": "viewer"}
    assert changed.headers["ETag"] != read.headers["ETag"]

    assert admin.delete(made.headers["Location"], headers={"If-Match": changed.headers["ETag"]}).status_code == 204
    assert admin.get(made.headers["Location"]).status_code == 404
    assert log_in(any_service, "anna", NEW["password"]) == 401
    recorded = [entry["action"] for entry in admin.get("/api/v1/audit?action=user").json()["items"]]
    assert recorded == ["user.delete", "user.change", "user.create"]


def test_two_who_change_the_same_person_do_not_overwrite_each_other(service: Service) -> None:
    admin, path = service.as_role("admin"), f"/api/v1/users/{service.add_person(Role.VIEWER)}"
    assert admin.patch(path, json={"role": "operator"}).json()["type"] == "/problems/precondition-required"
    assert admin.patch(path, json={"role": "operator"}, headers={"If-Match": '"1"'}).status_code == 200
    late = admin.patch(path, json={"role": "admin"}, headers={"If-Match": '"1"'})
    assert (late.status_code, late.json()["type"]) == (412, "/problems/precondition-failed")
    assert admin.delete(path).status_code == 428
    assert admin.delete(path, headers={"If-Match": '"1"'}).status_code == 412
    assert admin.get(path).json()["role"] == "operator"


def test_names_that_differ_in_case_only_are_one(service: Service) -> None:
    admin = service.as_role("admin")
    answer = admin.post("/api/v1/users", json=NEW | {"username": "ADMIN"})
    assert answer.status_code == 409
    assert "'admin' already" in answer.json()["detail"]


@pytest.mark.parametrize("change", [{"role": "operator"}, {"disabled": True}])
def test_the_last_admin_stays(service: Service, change: dict[str, object]) -> None:
    admin = service.as_role("admin")
    path = f"/api/v1/users/{service.person_id(Role.ADMIN)}"
    assert admin.patch(path, json=change, headers={"If-Match": '"1"'}).status_code == 409
    assert admin.delete(path, headers={"If-Match": '"1"'}).status_code == 409
    service.add_person(Role.ADMIN, "second")
    assert admin.patch(path, json=change, headers={"If-Match": '"1"'}).status_code == 200


def test_who_is_disabled_is_out_at_once(service: Service) -> None:
    browser, token = service.in_browser("operator"), service.as_role("operator")
    path = f"/api/v1/users/{service.person_id(Role.OPERATOR)}"
    assert browser.get("/api/v1/session").status_code == token.get("/api/v1/session").status_code == 200
    assert service.as_role("admin").patch(path, json={"disabled": True}, headers={"If-Match": '"1"'}).status_code == 200
    assert browser.get("/api/v1/session").status_code == token.get("/api/v1/session").status_code == 401


def test_who_is_demoted_has_no_token_that_is_not(service: Service) -> None:
    token = service.as_role("operator")
    assert token.get("/api/v1/audit").status_code == 200
    path = f"/api/v1/users/{service.person_id(Role.OPERATOR)}"
    service.as_role("admin").patch(path, json={"role": "viewer"}, headers={"If-Match": '"1"'})
    assert token.get("/api/v1/audit").status_code == 403


@pytest.mark.parametrize("change", [{"disabled": True}, {"role": "viewer"}, None], ids=["disabled", "demoted", "removed"])
def test_what_waits_for_devices_is_cancelled_with_the_right_to_set_them(
    any_service: Service, change: dict[str, object] | None
) -> None:
    """A profile that somebody who has been shut out asked for does not get onto a fabric afterwards."""
    service = with_default_fabric(any_service)
    operator, admin = service.as_role("operator"), service.as_role("admin")
    job = operator.post(f"{FABRIC}/apply", json={"profile": "gran-2010", "ttl_s": 60}, headers=once()).json()["id"]
    path, headers = f"/api/v1/users/{service.person_id(Role.OPERATOR)}", {"If-Match": '"1"'}
    done = admin.delete(path, headers=headers) if change is None else admin.patch(path, json=change, headers=headers)
    assert done.is_success
    assert admin.get(f"/api/v1/jobs/{job}").json()["state"] == "cancelled"
    assert admin.get("/api/v1/audit?action=user").json()["items"][0]["detail"]["jobs_cancelled"] == 1


def change_password(client: TestClient, current: str, new: str) -> int:
    return client.post("/api/v1/users/me/password", json={"current": current, "new": new}).status_code


def test_ones_own_password(service: Service) -> None:
    browser, elsewhere = service.in_browser("viewer"), service.in_browser("viewer")
    assert change_password(browser, "wrong", "wrong donkey charger") == 403
    assert change_password(browser, PASSWORD, PASSWORD) == 409
    assert change_password(browser, PASSWORD, "short") == 422
    assert change_password(service.as_role("viewer"), PASSWORD, "wrong donkey charger") == 403
    assert change_password(browser, PASSWORD, "wrong donkey charger") == 204
    assert browser.get("/api/v1/session").status_code == 200
    assert elsewhere.get("/api/v1/session").status_code == 401  # whoever had that browser
    assert log_in(service, "viewer", PASSWORD) == 401
    assert log_in(service, "viewer", "wrong donkey charger") == 201


def test_who_changes_a_password_cannot_guess_the_present_one(service: Service, settings: Settings) -> None:
    """As who logs in: failures of both are counted together, and the right one is refused too, or guessing would go on."""
    browser = service.in_browser("viewer")
    for number in range(settings.login_failures - 1):
        assert change_password(browser, f"guess {number}", "wrong donkey charger") == 403
    assert log_in(service, "viewer", "another guess") == 401
    answer = browser.post("/api/v1/users/me/password", json={"current": PASSWORD, "new": "wrong donkey charger"})
    assert (answer.status_code, answer.json()["type"]) == (429, "/problems/too-many-requests")
    assert 1 <= int(answer.headers["Retry-After"]) <= settings.login_window_s
    assert browser.get("/api/v1/session").status_code == 200
    refused = service.as_role("admin").get("/api/v1/audit?action=password").json()["items"]
    assert [entry["action"] for entry in refused] == ["password.refused"] * (settings.login_failures - 1)


def test_who_is_refused_does_not_ask_for_the_lock_of_writers(
    service: Service, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A loop of wrong passwords would make all writers wait their turn."""
    browser = service.in_browser("viewer")
    for _ in range(settings.login_failures):
        assert change_password(browser, "a guess", "wrong donkey charger") == 403

    def fails() -> None:
        raise AssertionError("a transaction that writes has begun")

    monkeypatch.setattr(service.database, "writing", fails)
    assert change_password(browser, "a guess", "wrong donkey charger") == 429
    assert log_in(service, "viewer", PASSWORD) == 429


def test_a_right_password_forgets_the_wrong_ones(service: Service, settings: Settings) -> None:
    browser = service.in_browser("viewer")
    for number in range(2):
        for _ in range(settings.login_failures - 1):
            assert change_password(browser, "a guess", "wrong donkey charger") == 403
        assert change_password(browser, PASSWORD if number == 0 else "password no. 0", f"password no. {number}") == 204


def test_two_changes_at_once_are_one(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """The password is checked while no transaction is open, so another change may come between."""
    browser, elsewhere = service.in_browser("viewer"), service.in_browser("viewer")
    original = logins.change_password

    def after_another(session: Any, *arguments: Any, **more: Any) -> None:
        monkeypatch.setattr(logins, "change_password", original)
        assert change_password(elsewhere, PASSWORD, "wrong donkey charger") == 204
        original(session, *arguments, **more)

    monkeypatch.setattr(logins, "change_password", after_another)
    assert change_password(browser, PASSWORD, "another new password") == 409
    assert log_in(service, "viewer", "wrong donkey charger") == 201


@pytest.mark.parametrize("keep", [None, False, True])
def test_a_new_password_ends_tokens_too_unless_they_are_kept(any_service: Service, keep: bool | None) -> None:
    """Whoever knew the old one may have made some."""
    admin, kept = any_service.as_role("admin"), {} if keep is None else {"keep_tokens": keep}
    status = 200 if keep else 401
    token, browser = any_service.as_role("operator"), any_service.in_browser("operator")
    path = f"/api/v1/users/{any_service.person_id(Role.OPERATOR)}"
    change = {"password": "wrong donkey charger", **kept}
    assert admin.patch(path, json=change, headers={"If-Match": '"1"'}).status_code == 200
    assert browser.get("/api/v1/session").status_code == 401
    assert token.get("/api/v1/session").status_code == status
    detail = admin.get("/api/v1/audit?action=user.change").json()["items"][0]["detail"]
    assert detail == {"password": "changed"} | ({} if keep else {"tokens_ended": 1})

    token, browser = any_service.as_role("viewer"), any_service.in_browser("viewer")
    own = {"current": PASSWORD, "new": "wrong donkey charger", **kept}
    assert browser.post("/api/v1/users/me/password", json=own).status_code == 204
    assert browser.get("/api/v1/session").status_code == 200
    assert token.get("/api/v1/session").status_code == status
    assert admin.get("/api/v1/session").status_code == 200


def test_a_change_of_the_role_ends_no_token(service: Service) -> None:
    token = service.as_role("operator")
    path = f"/api/v1/users/{service.person_id(Role.OPERATOR)}"
    assert service.as_role("admin").patch(path, json={"role": "viewer"}, headers={"If-Match": '"1"'}).status_code == 200
    assert token.get("/api/v1/session").json()["user"]["role"] == "viewer"


def test_all_ones_sessions_end_at_once(service: Service) -> None:
    browser, elsewhere, other = (service.in_browser(role) for role in ("viewer", "viewer", "operator"))
    token = service.as_role("viewer")
    csrf = browser.headers.pop("X-CSRF-Token")
    assert browser.delete("/api/v1/users/me/sessions").status_code == 403
    answer = browser.delete("/api/v1/users/me/sessions", headers={"X-CSRF-Token": csrf})
    assert answer.status_code == 204
    assert 'ibcc_session="";' in answer.headers["set-cookie"]
    assert [one.get("/api/v1/session").status_code for one in (browser, elsewhere, other, token)] == [401, 401, 200, 200]
    (entry,) = service.as_role("admin").get("/api/v1/audit?action=session.end_all").json()["items"]
    assert (entry["actor"], entry["detail"]) == ("viewer", {"sessions_ended": 2, "tokens_ended": 0})
    again = service.in_browser("viewer")
    assert token.delete("/api/v1/users/me/sessions").status_code == 204  # of somebody whose machine is gone
    assert again.get("/api/v1/session").status_code == 401


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (NEW | {"role": "root"}, "role"),
        (NEW | {"username": "anna\n"}, "username"),
        (NEW | {"username": "../etc"}, "username"),
        (NEW | {"username": "a" * 65}, "username"),
        (NEW | {"password": "short"}, "password"),
        (NEW | {"password": "x" * 201}, "password"),
        (NEW | {"isadmin": True}, "isadmin"),
        ({"username": "anna"}, "password"),
        ([], "body"),
    ],
)
def test_bad_input_names_the_field_and_never_the_password(service: Service, body: object, field: str) -> None:
    answer = service.as_role("admin").post("/api/v1/users", json=body)
    assert (answer.status_code, answer.json()["type"]) == (422, "/problems/invalid-input")
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert field in [error["field"] for error in answer.json()["errors"]]
    assert "short" not in answer.text
    assert "xxx" not in answer.text


def test_what_does_not_exist(service: Service) -> None:
    admin = service.as_role("admin")
    for answer in (
        admin.get("/api/v1/users/0"),
        admin.patch("/api/v1/users/0", json={}, headers={"If-Match": "*"}),
        admin.delete("/api/v1/users/0", headers={"If-Match": "*"}),
    ):
        assert (answer.status_code, answer.json()["detail"]) == (404, "There is no user '0'.")
