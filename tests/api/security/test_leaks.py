# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Secrets stay where they are: no answer repeats one, and no list shows one. Logs are in middleware/test_request_log.py."""

from datetime import timedelta
from typing import Any

import pytest

from api.access.roles import Role
from api.base.times import now, rfc3339
from tests.api.answer_cases import Operation, World
from tests.api.service import PASSWORD

SECRET = "s3cret-of-somebody"
WORDS = ("password", "token", "secret", "current", "new")


@pytest.mark.long
def test_what_is_wrong_with_a_secret_is_told_without_it(world: World, every_operation: list[Operation]) -> None:
    sent = 0
    for operation in every_operation:
        for field in operation.example or {}:
            if field not in WORDS:
                continue
            wrong: list[Any] = [SECRET * 100, [SECRET], {SECRET: SECRET}, f"{SECRET}\0", SECRET[:3]]
            for value in wrong:
                answer = world.send(operation, json=operation.example | {field: value})
                assert SECRET not in answer.text, (operation.name, field, answer.text[:300])
                sent += 1
    assert sent > 20


@pytest.mark.long
def test_secrets_in_the_wrong_place_are_not_repeated(world: World) -> None:
    client = world.service.anonymous()
    for headers in ({"Authorization": f"Bearer {SECRET}"}, {"Authorization": SECRET}, {"Cookie": f"ibcc_session={SECRET}"}):
        answer = client.get("/api/v1/session", headers=headers)
        assert answer.status_code == 401
        assert SECRET not in answer.text + str(answer.headers)
    answer = world.service.in_browser("viewer").delete("/api/v1/session", headers={"X-CSRF-Token": SECRET})
    assert answer.status_code == 403
    assert SECRET not in answer.text


@pytest.mark.long
def test_no_list_shows_a_secret(world: World, every_operation: list[Operation]) -> None:
    admin = world.service.in_browser("admin")
    body = {"name": "seen once", "role": "viewer", "expires_at": rfc3339(now() + timedelta(days=30))}
    token = admin.post("/api/v1/tokens", json=body).json()["secret"]
    secrets = (token, token.removeprefix("ibcc_"), PASSWORD, admin.cookies["ibcc_session"], "argon2")
    for operation in every_operation:
        if operation.method == "get":
            text = world.send(operation, admin).text
            for secret in secrets:
                # The document's own example of a password is the tests' one.
                assert secret not in text, (operation.name, secret)


@pytest.mark.long
def test_a_token_for_other_fabrics_sees_nothing_of_this_one(world: World, every_operation: list[Operation]) -> None:
    """All that is read, by a token of an admin that is for another fabric."""
    elsewhere = world.service.as_role("admin", ["elsewhere"])
    shared = {
        "list_profiles",
        "get_profile",
        "list_profile_versions",
        "list_workloads",
        "get_workload",
        "list_campaign_templates",
        "list_check_templates",
        "list_packaged_fabrics",
    }
    shared |= {"get_profile_version", "diff_profile", "list_profile_parameters", "list_tokens"}
    looked = 0
    for operation in every_operation:
        if operation.method != "get" or operation.role is None or operation.name in shared:
            continue
        looked += 1
        answer = world.send(operation, elsewhere)
        if answer.status_code == 200:
            assert "two-switch" not in answer.text, (operation.name, answer.text[:300])
        else:
            assert answer.status_code in (403, 404), (operation.name, answer.text)
    assert looked > 20


def test_a_stored_answer_is_not_given_to_a_token_for_other_fabrics(world: World) -> None:
    """Idempotency keys are a person's, whose tokens may have fewer rights than they."""
    key = {"Idempotency-Key": "the same"}
    path = f"/api/v1/campaigns/{world.draft['id']}/start"
    assert world.clients[Role.OPERATOR].post(path, headers=key).status_code == 202
    assert world.clients[Role.OPERATOR].post(path, headers=key).headers["Idempotency-Replayed"] == "true"
    assert world.service.as_role("operator", ["elsewhere"]).post(path, headers=key).status_code == 404
