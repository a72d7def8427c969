# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Jobs over the API."""

from collections.abc import Iterator

import pytest

from api.access.principal import system
from api.queue.table import enqueue
from tests.api.jobs.kinds import registered
from tests.api.service import Service


@pytest.fixture(autouse=True)
def kinds() -> Iterator[None]:
    with registered():
        yield


def add(service: Service, kind: str = "test-steps", fabric: str | None = None) -> str:
    with service.database.writing() as session:
        return enqueue(session, system("test"), kind, {}, fabric=fabric).id


def listed(service: Service, query: str = "", fabrics: list[str] | None = None) -> list[str]:
    answer = service.as_role("viewer", fabrics).get(f"/api/v1/jobs{query}")
    assert answer.status_code == 200, answer.text
    return [job["id"] for job in answer.json()["items"]]


def test_jobs_are_listed_newest_first_and_filtered(any_service: Service) -> None:
    first, second = add(any_service, fabric="a"), add(any_service, "test-once", fabric="b")
    assert listed(any_service) == [second, first]
    assert listed(any_service, "?kind=test-once") == [second]
    assert listed(any_service, "?fabric=a") == [first]
    assert listed(any_service, "?state=running") == []
    assert listed(any_service, "?state=queued&limit=1") == [second]
    assert any_service.as_role("viewer").get("/api/v1/jobs?state=lost").status_code == 422


def test_a_token_for_one_fabric_sees_no_other(service: Service) -> None:
    mine, others, of_none = add(service, fabric="a"), add(service, fabric="b"), add(service)
    assert listed(service, fabrics=["a"]) == [of_none, mine]
    client = service.as_role("operator", fabrics=["a"])
    assert client.get(f"/api/v1/jobs/{mine}").json()["fabric"] == "a"
    assert client.get(f"/api/v1/jobs/{others}").status_code == 404
    assert client.post(f"/api/v1/jobs/{others}/cancel").status_code == 404


def test_a_job_is_cancelled_by_an_operator_and_recorded(any_service: Service) -> None:
    job_id = add(any_service, fabric="a")
    assert any_service.as_role("viewer").post(f"/api/v1/jobs/{job_id}/cancel").status_code == 403
    operator = any_service.as_role("operator")
    answer = operator.post(f"/api/v1/jobs/{job_id}/cancel")
    assert (answer.status_code, answer.json()["state"]) == (202, "cancelled")
    again = operator.post(f"/api/v1/jobs/{job_id}/cancel")
    assert (again.status_code, again.json()["type"]) == (409, "/problems/conflict")
    entry = operator.get("/api/v1/audit?action=job.cancel&fabric=a").json()["items"]
    assert [one["actor"] for one in entry] == ["operator"]


def test_what_does_not_exist(service: Service) -> None:
    assert service.as_role("viewer").get("/api/v1/jobs/0").status_code == 404
    assert service.as_role("viewer").get("/api/v1/jobs/..%2Fusers").status_code == 404
    assert service.as_role("viewer").get("/api/v1/jobs/X").status_code == 422
