# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Each event is in one delivery of each address that wants it, whichever server collects it; deliveries are grouped, limited and
sent by one server."""

import random
import threading
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import structlog
from sqlalchemy import select
from structlog.testing import capture_logs

from api.configuration.notification_addresses import AddressOptions, Log, with_log
from api.database.engine import Database
from api.database.models.delivery import Delivery
from api.events.publish import publish
from api.notifiers import deliveries
from api.notifiers.collecting import collect
from api.notifiers.deliveries import ATTEMPTS, pause_s, settle, sweep, take
from api.notifiers.kinds import log
from api.notifiers.notifier import Notifying
from tests.api.jobs.test_unreadable import damage
from tests.api.notifiers.messages import event_data
from tests.api.service import Service

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
NOW = AT + timedelta(minutes=5)


def tell(service: Service, *numbers: int, topic: str = "fabric:lab", kind: str = "device.lost", **data: Any) -> None:
    with service.database.writing() as session:
        for n in numbers:
            fabric = topic.partition(":")[2] or None
            publish(session, topic, kind, event_data(n) | data, fabric=fabric)


def rows(database: Database) -> list[Delivery]:
    with database.reading() as session:
        return list(session.scalars(select(Delivery).order_by(Delivery.id)))


def began(service: Service) -> Service:
    """A service that has collected whatever was before."""
    tell(service, 0)
    assert collect(service.database, {"ops": Log()}, AT) == 0, "what was before the first start is no news"
    return service


@pytest.fixture
def begun(service: Service) -> Service:
    return began(service)


@pytest.fixture
def begun_anywhere(any_service: Service) -> Service:
    """In each kind of database."""
    return began(any_service)


def test_each_event_is_collected_once_by_one_of_the_servers(begun_anywhere: Service) -> None:
    tell(begun_anywhere, *range(1, 21))
    tell(begun_anywhere, 99, topic="audit", kind="entry")
    servers = [Database(begun_anywhere.settings.database) for _ in range(3)]
    threads = [threading.Thread(target=Notifying(one, {"ops": Log(), "net": Log()}).collect) for one in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in servers:
        one.close()
    found = rows(begun_anywhere.database)
    assert sorted(row.address for row in found) == ["net", "ops"]
    for row in found:
        assert [item["data"]["name"] for item in row.items] == [f"S{n}" for n in range(1, 21)]


@pytest.mark.long
def test_a_hundred_events_in_a_minute_are_one_message(begun_anywhere: Service) -> None:
    options = Log(group_s=60)
    for n in range(1, 121):
        tell(begun_anywhere, n, kind="device.drifted" if n < 120 else "device.lost")
        assert collect(begun_anywhere.database, {"ops": options}, AT + timedelta(seconds=n / 2)) == 1
    [row] = rows(begun_anywhere.database)
    assert (row.counts, row.severity, len(row.items)) == ({"warning": 119, "error": 1}, "error", 100)
    assert row.items[-1]["severity"] == "error", "the gravest is described"
    assert take(begun_anywhere.database, "ops", 60, AT + timedelta(seconds=59)) is None
    claim = take(begun_anywhere.database, "ops", 60, AT + timedelta(seconds=61))
    assert claim is not None
    assert claim.message.title() == "error on lab: 120 events (1 error, 119 warnings)"
    assert claim.message.omitted == 20
    tell(begun_anywhere, 200)
    collect(begun_anywhere.database, {"ops": options}, AT + timedelta(seconds=62))
    assert len(rows(begun_anywhere.database)) == 2, "what is being sent takes no further events"


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (Log(minimum="info"), ["lab lost", "lab back", "other lost", "night"]),
        (Log(minimum="warning"), ["lab lost", "other lost", "night"]),
        (Log(minimum="error"), ["lab lost", "other lost"]),
        (Log(minimum="info", fabrics=["lab"]), ["lab lost", "lab back"]),
        (Log(minimum="info", fabrics=[]), []),
    ],
)
def test_addresses_get_what_they_want(begun: Service, options: AddressOptions, wanted: list[str]) -> None:
    tell(begun, 1, what="lab lost")
    tell(begun, 2, kind="device.back", what="lab back")
    tell(begun, 3, topic="fabric:other", what="other lost")
    tell(begun, 4, topic="checks", kind="check.night", state="done", verdict="warn", what="night")
    collect(begun.database, {"ops": options}, AT)
    found = [item["data"]["what"] for row in rows(begun.database) for item in row.items]
    assert found == wanted


@pytest.mark.long
def test_messages_beyond_the_limit_wait_and_come_together(begun: Service) -> None:
    options, moment, sent = Log(messages_per_hour=3), NOW, []
    for n in range(1, 100):
        tell(begun, n)
        collect(begun.database, {"ops": options}, moment)
        while (claim := take(begun.database, "ops", options.messages_per_hour, moment)) is not None:
            sent.append((moment, claim.message.total))
            assert settle(begun.database, claim, moment, sent=True, problem=None) == "sent"
        moment += timedelta(minutes=1)
    assert [(at - NOW).total_seconds() / 60 for at, _ in sent] == [0, 1, 2, 60, 61, 62]
    assert sum(total for _, total in sent) == 63
    [last] = [row for row in rows(begun.database) if row.state == "pending"]
    assert sum(last.counts.values()) == 36


def test_attempts_end(begun_anywhere: Service) -> None:
    tell(begun_anywhere, 1)
    collect(begun_anywhere.database, {"ops": Log()}, AT)
    moment, state = AT, "pending"
    for attempt in range(1, ATTEMPTS + 1):
        claim = take(begun_anywhere.database, "ops", 60, moment)
        assert claim is not None, attempt
        state = str(settle(begun_anywhere.database, claim, moment, sent=False, problem="it answered 500"))
        assert take(begun_anywhere.database, "ops", 60, moment) is None, "not at once again"
        moment += timedelta(hours=1)
    [row] = rows(begun_anywhere.database)
    assert (state, row.state, row.problem, row.attempts) == ("given_up", "given_up", "it answered 500", ATTEMPTS)


def test_pauses_grow_and_differ() -> None:
    draw = random.Random(7)
    for attempt, mean in ((1, 10), (2, 20), (5, 160), (12, 1800)):
        drawn = [pause_s(attempt, draw) for _ in range(200)]
        assert 0.5 * mean <= min(drawn) < 0.7 * mean
        assert 1.3 * mean < max(drawn) <= 1.5 * mean
    assert 1.5 < sum(pause_s(n, draw) for n in range(1, ATTEMPTS)) / 3600 < 3.5


def test_what_is_old_goes(begun: Service) -> None:
    tell(begun, 1)
    collect(begun.database, {"ops": Log(), "gone": Log()}, AT)
    claim = take(begun.database, "ops", 60, AT)
    assert claim is not None
    settle(begun.database, claim, AT, sent=True, problem=None)
    day = timedelta(days=1)

    def swept(moment: datetime) -> Mapping[str, str]:
        with begun.database.writing() as session:
            sweep(session, moment, kept_s=7 * 86400)
        return {row.address: row.state for row in rows(begun.database)}

    assert swept(AT + day) == {"ops": "sent", "gone": "pending"}
    assert swept(AT + 1.1 * day) == {"ops": "sent", "gone": "given_up"}
    assert swept(AT + 7.1 * day) == {"gone": "given_up"}
    assert swept(AT + 8.2 * day) == {}


def test_a_mistake_in_a_sender_is_a_failed_attempt(begun: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    notifying = Notifying(begun.database, {"ops": Log()}, clock=lambda: AT)
    monkeypatch.setattr("api.notifiers.kinds.log.LogSender.send", lambda self, message: message.counts["x"])
    tell(begun, 1)
    notifying.collect()
    with capture_logs():
        assert notifying.couriers["ops"].tick() == 1
    [row] = rows(begun.database)
    assert (row.state, row.attempts) == ("pending", 1)
    assert row.problem == "a mistake in ibcc (KeyError); see the server's log"


def test_the_log_has_what_nobody_should_overlook(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    # A logger keeps the configuration that was in force at its first line, which another test may have brought about.
    monkeypatch.setattr(log, "_log", structlog.get_logger())
    notifying = Notifying(service.database, with_log({}), clock=lambda: AT)
    notifying.collect()
    tell(service, 1, topic="checks", kind="check.night", check="site", date="2026-01-02", state="done", verdict="pass")
    tell(
        service,
        2,
        topic="checks",
        kind="check.night",
        check="site",
        date="2026-01-03",
        state="done",
        verdict="fail",
        headline="S1 drifted",
    )
    notifying.collect()
    with capture_logs() as lines:
        notifying.couriers["log"].tick()
    assert [(line["event"], line["log_level"], line["text"]) for line in lines] == [
        ("check.night", "error", "check site of 2026-01-03: fail: S1 drifted")
    ]


def test_threads_notify_and_end(service: Service) -> None:
    notifying = Notifying(service.database, with_log({}), interval_s=0.02)
    notifying.collect()
    notifying.start()
    tell(service, 1)
    for _ in range(500):
        if [row.state for row in rows(service.database)] == ["sent"]:
            break
        threading.Event().wait(0.02)
    notifying.stop()
    assert [row.state for row in rows(service.database)] == ["sent"]
    assert deliveries.LEASE_S > 2 * 30


def test_an_event_that_cannot_be_read_keeps_no_other_from_being_told(begun_anywhere: Service) -> None:
    tell(begun_anywhere, 1, 2)
    damage(begun_anywhere.database, "events", "data", key="2")
    assert collect(begun_anywhere.database, {"ops": Log()}, AT) == 2
    (row,) = rows(begun_anywhere.database)
    assert [item["event"] for item in row.items] == [2, 3]
    assert row.items[0]["text"] == "the data of this event cannot be read"


def test_a_delivery_that_cannot_be_read_is_given_up_and_the_next_one_is_sent(begun_anywhere: Service) -> None:
    database = begun_anywhere.database
    tell(begun_anywhere, 1)
    collect(database, {"ops": Log()}, AT)
    (bad,) = rows(database)
    claim = take(database, "ops", 60, NOW)
    assert claim is not None
    settle(database, claim, NOW, sent=False, problem="it is down")  # so that it takes no further events
    damage(database, "deliveries", "items", key=bad.id)
    tell(begun_anywhere, 2)
    collect(database, {"ops": Log()}, AT)
    later = NOW + timedelta(hours=1)
    claims = [claim for _ in range(3) if (claim := take(database, "ops", 60, later)) is not None]
    assert [[item["event"] for item in claim.message.items] for claim in claims] == [[3]]
    states = {row.id: (row.state, row.problem) for row in rows(database)}
    assert states[bad.id] == ("given_up", "its row cannot be read (items)")
