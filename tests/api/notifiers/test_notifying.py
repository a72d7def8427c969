# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Whoever is to be told of an event of checks is told once, by one of the servers."""

import threading
from typing import Any

import pytest
from structlog.testing import capture_logs

from api.database.engine import Database
from api.events.publish import publish
from api.notifiers.log import LogNotifier
from api.notifiers.notifier import NOTIFIERS, Notifying
from tests.api.service import Service


class Listener:
    def __init__(self) -> None:
        self.heard: list[tuple[str, Any]] = []

    def notify(self, kind: str, data: dict[str, Any]) -> None:
        self.heard.append((kind, data["n"]))
        if data["n"] == 2:
            raise ValueError("the mail server is away")


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Listener:
    one = Listener()
    monkeypatch.setattr(NOTIFIERS, "_variants", {"test": one})
    return one


def tell(service: Service, *numbers: int, topic: str = "checks") -> None:
    with service.database.writing() as session:
        for n in numbers:
            publish(session, topic, "check.night", {"n": n})


def test_each_event_is_told_once_by_one_of_the_servers(any_service: Service, listener: Listener) -> None:
    tell(any_service, 0)
    assert Notifying(any_service.database).tick() == 0, "what was before the first start is no news"
    tell(any_service, 1, 2, 3)
    tell(any_service, 9, topic="jobs")
    servers = [Database(any_service.settings.database) for _ in range(3)]
    threads = [threading.Thread(target=Notifying(database).tick) for database in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for database in servers:
        database.close()
    assert listener.heard == [("check.night", 1), ("check.night", 2), ("check.night", 3)], "also after one that failed"
    assert Notifying(any_service.database).tick() == 0


@pytest.mark.parametrize(
    ("kind", "data", "logged"),
    [
        ("check.night", {"state": "done", "verdict": "fail"}, True),
        ("check.night", {"state": "done", "verdict": "pass"}, False),
        ("check.night", {"state": "running", "verdict": "fail"}, False),
        ("check.missed", {"state": "missed"}, True),
        ("check.answer", {"state": "done"}, False),
    ],
)
def test_the_log_has_what_nobody_should_overlook(kind: str, data: dict[str, Any], logged: bool) -> None:
    with capture_logs() as lines:
        LogNotifier().notify(kind, {"check": "site", "headline": "S1 drifted", **data})
    assert [line["event"] for line in lines] == ([kind] if logged else [])
