# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tokens: at most one's own rights, shown once, and of no use when revoked or expired."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from api.access.roles import Role
from api.base.times import now, rfc3339
from api.database.models.token import Token
from tests.api.service import Service

SOON = rfc3339(now() + timedelta(days=30))


def body(**changes: Any) -> dict[str, Any]:
    return {"name": "nightly", "role": "viewer", "expires_at": SOON} | changes


def test_a_token_works_until_it_is_revoked(any_service: Service) -> None:
    browser = any_service.in_browser("operator")
    made = browser.post("/api/v1/tokens", json=body(role="operator"))
    assert made.status_code == 201
    token = made.json()
    secret = token.pop("secret")
    assert secret.startswith("ibcc_")
    assert browser.get("/api/v1/tokens").json()["items"] == [token]
    client = any_service.anonymous()
    client.headers["Authorization"] = f"Bearer {secret}"
    assert client.get("/api/v1/session").json()["user"]["username"] == "operator"
    assert client.get("/api/v1/audit").json()["items"][0]["object"] == "token nightly"
    assert secret not in client.get("/api/v1/audit").text
    assert browser.get("/api/v1/tokens").json()["items"][0]["used_at"] is not None
    assert browser.delete(f"/api/v1/tokens/{token['id']}").status_code == 204
    assert client.get("/api/v1/session").status_code == 401


def test_the_secret_is_not_in_the_database(service: Service) -> None:
    secret = service.in_browser("viewer").post("/api/v1/tokens", json=body()).json()["secret"]
    service.database.close()
    stored = b"".join(file.read_bytes() for file in service.settings.state_folder.glob("ibcc.db*"))
    assert b"nightly" in stored
    assert secret.encode() not in stored
    assert secret.removeprefix("ibcc_").encode() not in stored


@pytest.mark.parametrize(("own", "asked"), [("viewer", "operator"), ("viewer", "admin"), ("operator", "admin")])
def test_nobody_makes_a_token_that_may_more_than_they(service: Service, own: str, asked: str) -> None:
    answer = service.as_role(own).post("/api/v1/tokens", json=body(role=asked))
    assert answer.status_code == 403
    assert f"cannot have the role {asked}" in answer.json()["detail"]


def test_a_token_for_some_fabrics_makes_none_for_others(service: Service) -> None:
    client = service.as_role("viewer", fabrics=["a", "b"])
    assert client.post("/api/v1/tokens", json=body()).status_code == 403
    assert client.post("/api/v1/tokens", json=body(fabrics=["a", "c"])).status_code == 403
    assert client.post("/api/v1/tokens", json=body(fabrics=["a"])).json()["fabrics"] == ["a"]


def test_an_expired_token_is_refused(service: Service) -> None:
    client = service.as_role("viewer")
    with service.database.writing() as session:
        for token in session.scalars(select(Token)).unique():
            token.expires_at = now()
    answer = client.get("/api/v1/session")
    assert answer.status_code == 401
    assert "has expired or was revoked" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"expires_at": "2020-01-01T00:00:00Z"}, "expires_at"),
        ({"expires_at": "2100-01-01T00:00:00Z"}, "expires_at"),
        ({"expires_at": "2027-01-01T00:00:00"}, "expires_at"),  # of which zone?
        ({"expires_at": None}, "expires_at"),
        ({"name": ""}, "name"),
        ({"name": "a\0b"}, "name"),
        ({"role": "root"}, "role"),
        ({"fabrics": []}, "fabrics"),
        ({"fabrics": ["../etc"]}, "fabrics.0"),
    ],
)
def test_bad_input(service: Service, changes: dict[str, Any], field: str) -> None:
    answer = service.as_role("viewer").post("/api/v1/tokens", json=body(**changes))
    assert answer.status_code == 422, answer.text
    assert [error["field"] for error in answer.json()["errors"]] == [field]


def test_others_tokens_are_seen_and_revoked_by_an_admin_only(service: Service) -> None:
    made = service.in_browser("operator").post("/api/v1/tokens", json=body()).json()
    viewer, admin = service.in_browser("viewer"), service.in_browser("admin")
    assert viewer.get("/api/v1/tokens").json()["items"] == []
    assert viewer.delete(f"/api/v1/tokens/{made['id']}").status_code == 404
    assert made["id"] in [token["id"] for token in admin.get("/api/v1/tokens").json()["items"]]
    assert admin.delete(f"/api/v1/tokens/{made['id']}").status_code == 204


@pytest.mark.parametrize("header", ["Basic YTpi", "Bearer", "Bearer ", "Bearer ibcc_wrong", "ibcc_wrong", "bearer \tx"])
def test_what_is_not_a_token_is_refused(service: Service, header: str) -> None:
    answer = service.anonymous().get("/api/v1/session", headers={"Authorization": header})
    assert answer.status_code == 401
    assert "wrong" not in answer.text


def test_a_wrong_token_is_refused_though_there_is_a_session(service: Service) -> None:
    client = service.in_browser(Role.ADMIN)
    assert client.get("/api/v1/session", headers={"Authorization": "Bearer ibcc_wrong"}).status_code == 401


def test_tokens_go_with_their_person(service: Service) -> None:
    client = service.as_role("viewer")
    path = f"/api/v1/users/{service.person_id(Role.VIEWER)}"
    assert service.as_role("admin").delete(path, headers={"If-Match": '"1"'}).status_code == 204
    assert client.get("/api/v1/session").status_code == 401
