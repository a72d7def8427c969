# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Health, readiness, metrics, and what problems mean."""

import pytest

from api.base import problems
from api.configuration.settings import Settings
from tests.api.service import Service


def test_health_says_nothing_of_the_database_and_ready_does(service: Service) -> None:
    with service.running():
        client = service.anonymous()
        assert client.get("/health").status_code == client.get("/ready").status_code == 200


def test_not_ready_when_the_threads_do_not_live(service: Service) -> None:
    answer = service.anonymous().get("/ready")
    assert (answer.status_code, answer.json()["type"]) == (503, "/problems/unavailable")
    assert service.anonymous().get("/health").status_code == 200


def test_not_ready_without_its_database(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    from sqlalchemy.exc import OperationalError

    def fails() -> None:
        raise OperationalError("SELECT 1", {}, Exception("no route to secret-host"))

    monkeypatch.setattr(service.database, "reading", fails)
    for path in ("/ready", "/api/v1/setup"):
        answer = service.anonymous().get(path)
        assert (answer.status_code, answer.json()["type"]) == (503, "/problems/unavailable")
        assert "secret" not in answer.text


def test_metrics(service: Service) -> None:
    assert service.anonymous().get("/metrics").status_code == 401
    viewer = service.as_role("viewer")
    viewer.get("/api/v1/jobs/0")
    viewer.get("/no/such/page")
    text = viewer.get("/metrics").text
    assert 'ibcc_http_requests_total{method="GET",operation="get_job",status="404"} 1.0' in text
    assert "ibcc_database_up 1.0" in text
    assert "ibcc_event_listeners 0.0" in text
    for name in ("viewer", "such"):
        assert name not in text


def test_metrics_may_be_open(settings: Settings) -> None:
    service = Service(settings.model_copy(update={"open_metrics": True}))
    assert service.anonymous().get("/metrics").status_code == 200
    service.close()


def test_each_problem_is_explained(service: Service) -> None:
    client = service.anonymous()
    for name, kind in problems.kinds().items():
        answer = client.get(f"/problems/{name}")
        assert answer.text == f"{kind.title} ({kind.status})\n\n{kind.explanation}\n"
    assert client.get("/problems/nothing").status_code == 404


def test_the_version(service: Service) -> None:
    from importlib import metadata

    assert service.anonymous().get("/api/v1/version").json() == {"version": metadata.version("ibcc")}


def test_ready_says_how_durable_answers_are(any_service: Service) -> None:
    with any_service.running():
        answer = any_service.anonymous().get("/ready").json()
    if any_service.database.is_sqlite:
        assert answer == {"status": "ok", "remarks": [], "synchronous_commit": None}
    else:  # the tests' own server does not sync
        remark = "PostgreSQL's fsync is off: a power cut of its machine may take answered changes away; on would be right."
        assert answer == {"status": "ok", "remarks": [remark], "synchronous_commit": "on"}


def test_ready_names_a_thread_that_has_failed_and_events_that_cannot_be_read(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    with service.running():
        hub = service.app.state.hub
        monkeypatch.setattr(hub.thread, "_waits", True)
        monkeypatch.setattr(hub.thread, "_failure", "KeyError")
        answer = service.anonymous().get("/ready")
        assert answer.status_code == 503
        assert answer.json()["detail"].startswith("The thread for events has failed (KeyError) and starts again")
        monkeypatch.setattr(hub.thread, "_waits", False)
        monkeypatch.setattr(hub, "_unreadable", {3: None})
        remarks = service.anonymous().get("/ready").json()["remarks"]
        assert remarks == ["Events that cannot be read are left out: 1 since the service began (3)."]
