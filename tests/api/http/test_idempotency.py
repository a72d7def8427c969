# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Idempotency-Key: what touches a fabric is done once, however often and however quickly it is sent."""

import threading
from typing import Any

import pytest
from fastapi import APIRouter
from fastapi.responses import JSONResponse
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from api.access.dependencies import Operator, Writing
from api.base.problems import Conflict
from api.database.models.idempotency_record import IdempotencyRecord
from api.database.models.job import Job
from api.http import idempotency
from api.http.idempotency import OnlyOnce
from api.queue.table import accepted_once, enqueue
from api.routes.fields import Body
from tests.api.jobs.kinds import registered
from tests.api.service import Service


class Wish(Body):
    profile: str


def add_route(service: Service) -> None:
    """One that does what those of fabrics do: a job, once."""
    router = APIRouter()

    @router.post("/fabrics/{fabric}/test-apply", status_code=202)
    def test_apply(principal: Operator, session: Writing, once: OnlyOnce, fabric: str, body: Wish) -> JSONResponse:
        def work() -> tuple[int, Any, dict[str, str]]:
            if body.profile == "busy":
                raise Conflict("somebody else has it")
            return accepted_once(principal, enqueue(session, principal, "test-steps", {"profile": body.profile}, fabric=fabric))

        return once(session, principal, body, work)

    service.app.include_router(router, prefix="/api/v1")
    # Before the page that answers all other paths.
    service.app.router.routes.insert(0, service.app.router.routes.pop())


@pytest.fixture
def operator(any_service: Service) -> Any:
    with registered():
        add_route(any_service)
        yield any_service.as_role("operator")


def apply(client: TestClient, key: str | None, profile: str = "off", fabric: str = "a") -> Any:
    headers = {} if key is None else {"Idempotency-Key": key}
    return client.post(f"/api/v1/fabrics/{fabric}/test-apply", json={"profile": profile}, headers=headers)


def jobs(service: Service) -> int:
    with service.database.reading() as session:
        return session.scalar(select(func.count()).select_from(Job)) or 0


@pytest.mark.long
def test_a_repetition_gets_the_first_answer(any_service: Service, operator: TestClient) -> None:
    first, second = apply(operator, "k1"), apply(operator, "k1")
    assert first.status_code == second.status_code == 202
    assert first.json() == second.json()
    assert first.headers["Location"] == second.headers["Location"] == f"/api/v1/jobs/{first.json()['id']}"
    assert "Idempotency-Replayed" not in first.headers
    assert second.headers["Idempotency-Replayed"] == "true"
    assert jobs(any_service) == 1
    assert apply(operator, "k2").json()["id"] != first.json()["id"]


@pytest.mark.parametrize("other", [{"profile": "gran-2010"}, {"fabric": "b"}])
def test_a_key_is_for_one_request(any_service: Service, operator: TestClient, other: dict[str, str]) -> None:
    assert apply(operator, "k1").status_code == 202
    answer = apply(operator, "k1", **other)
    assert (answer.status_code, answer.json()["type"]) == (409, "/problems/key-reused")
    assert jobs(any_service) == 1


def test_keys_of_different_people_have_nothing_to_do_with_each_other(any_service: Service, operator: TestClient) -> None:
    assert apply(operator, "k1").json()["id"] != apply(any_service.as_role("admin"), "k1").json()["id"]


def test_a_failure_is_not_kept(any_service: Service, operator: TestClient) -> None:
    assert apply(operator, "k1", "busy").status_code == 409
    assert apply(operator, "k1", "off").status_code == 202


@pytest.mark.parametrize("key", [None, "", "a\tb", "x" * 129, "ä"])
def test_a_request_without_a_good_key_is_refused(any_service: Service, operator: TestClient, key: str | None) -> None:
    headers = {} if key is None else {b"Idempotency-Key": key.encode()}
    answer = operator.post("/api/v1/fabrics/a/test-apply", json={"profile": "off"}, headers=headers)
    assert (answer.status_code, answer.json()["type"]) == (400, "/problems/bad-request")
    assert jobs(any_service) == 0


def test_requests_at_the_same_time_do_the_work_once(any_service: Service, operator: TestClient) -> None:
    together = threading.Barrier(5)
    answers: list[Any] = []

    def send() -> None:
        client = any_service.anonymous()
        client.headers["Authorization"] = operator.headers["Authorization"]
        together.wait()
        answers.append(apply(client, "k1"))

    threads = [threading.Thread(target=send) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.status_code for answer in answers] == [202] * 5
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert jobs(any_service) == 1


def test_old_answers_are_forgotten(any_service: Service, operator: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    apply(operator, "k1")
    with any_service.database.writing() as session:
        idempotency.sweep(session)
        assert session.scalar(select(func.count()).select_from(IdempotencyRecord)) == 1
    monkeypatch.setattr(idempotency, "_KEPT_S", -1)
    with any_service.database.writing() as session:
        idempotency.sweep(session)
        assert session.scalar(select(func.count()).select_from(IdempotencyRecord)) == 0
