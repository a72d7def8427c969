# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The stream of events, over a real connection: what is heard, resumed and refused."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import httpx2
import pytest
from sqlalchemy import delete, select, update

from api.base.times import now
from api.database.models.event import Event
from api.database.models.login_session import LoginSession
from api.database.models.token import Token
from api.database.models.user import User
from api.events.publish import publish
from api.routes import events
from tests.api.service import Service


@pytest.fixture
def url(service: Service) -> Iterator[str]:
    """URL of the service, which is served on loopback."""
    with service.served() as address:
        yield address


def tell(service: Service, topic: str, number: int, fabric: str | None = None) -> int:
    with service.database.writing() as session:
        return publish(session, topic, "test", {"number": number}, fabric=fabric).id


class Stream:
    def __init__(self, response: httpx2.Response) -> None:
        self._lines = response.iter_lines()
        assert next(self._lines).startswith(":")  # it listens from now on

    def next(self) -> dict[str, Any]:
        """Returns the next event."""
        event: dict[str, Any] = {}
        for line in self._lines:
            if line == "" and event:
                return event
            field, _, value = line.partition(": ")
            if field:
                event[field] = json.loads(value) if field == "data" else value
        raise EOFError

    def numbers(self, count: int) -> list[int]:
        return [self.next()["data"]["number"] for _ in range(count)]


@contextmanager
def stream(
    url: str, service: Service, topics: str, role: str = "viewer", last: int | None = None, **more: Any
) -> Iterator[Stream]:
    headers = {"Authorization": service.as_role(role, **more).headers["Authorization"]}
    if last is not None:
        headers["Last-Event-ID"] = str(last)
    with (
        httpx2.Client(timeout=30) as client,
        client.stream("GET", f"{url}/api/v1/events", params={"topics": topics}, headers=headers) as response,
    ):
        assert response.status_code == 200, response.read()
        assert response.headers["Content-Type"].startswith("text/event-stream")
        assert response.headers["Cache-Control"] == "no-store"
        assert "Content-Encoding" not in response.headers, "packing would hold events back"
        yield Stream(response)


def test_events_are_heard_as_they_happen(service: Service, url: str) -> None:
    with stream(url, service, "jobs,fabric:a") as heard:
        tell(service, "fabric:b", 1)
        number = tell(service, "fabric:a", 2)
        event = heard.next()
    assert (event["id"], event["event"]) == (str(number), "test")
    assert event["data"].keys() == {"at", "topic", "number"}
    assert (event["data"]["topic"], event["data"]["number"]) == ("fabric:a", 2)


def test_a_stream_that_broke_is_resumed_without_a_gap(service: Service, url: str) -> None:
    first = tell(service, "jobs", 1)
    for number in (2, 3):
        tell(service, "jobs", number)
    with stream(url, service, "jobs", last=first) as heard:
        assert heard.numbers(2) == [2, 3]
        tell(service, "jobs", 4)
        assert heard.numbers(1) == [4]


def test_what_is_too_long_ago_begins_anew(service: Service, url: str) -> None:
    ids = [tell(service, "jobs", number) for number in range(3)]
    with service.database.writing() as session:
        session.execute(delete(Event).where(Event.id < ids[2]))  # those of the service's start too
    with stream(url, service, "jobs", last=0) as heard:
        event = heard.next()
        assert (event["event"], event["id"]) == ("reset", str(ids[2]))
        tell(service, "jobs", 7)
        assert heard.numbers(1) == [7]
    with stream(url, service, "jobs", last=10**9) as heard:  # of a database that is no more
        assert heard.next()["event"] == "reset"


def test_a_token_for_one_fabric_hears_of_no_other(service: Service, url: str) -> None:
    with stream(url, service, "jobs,fabric:a,campaign:1", fabrics=["a"]) as heard:
        tell(service, "jobs", 1, fabric="b")
        tell(service, "campaign:1", 2, fabric="b")
        tell(service, "jobs", 3)  # of no fabric
        tell(service, "jobs", 4, fabric="a")
        assert heard.numbers(1) == [4]


def test_a_stream_ends_with_the_token_that_opened_it(service: Service, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "CHECKED_S", 0.05)
    with stream(url, service, "jobs") as heard:
        tell(service, "jobs", 1)
        assert heard.numbers(1) == [1]
        admin = service.as_role("admin")
        for token in admin.get("/api/v1/tokens").json()["items"]:
            if token["username"] == "viewer":
                admin.delete(f"/api/v1/tokens/{token['id']}")
        with pytest.raises(EOFError):
            heard.next()


@pytest.mark.parametrize("change", ["role", "fabrics"])
def test_a_stream_ends_with_the_rights_that_opened_it(
    service: Service, url: str, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    monkeypatch.setattr(events, "CHECKED_S", 0.05)
    with stream(url, service, "campaign:1", "operator") as heard:
        with service.database.writing() as session:
            if change == "role":
                session.execute(update(User).where(User.username == "operator").values(role="viewer"))
            else:
                session.execute(update(Token).values(fabrics=["a"]))
        with pytest.raises(EOFError):
            heard.next()


def test_an_open_stream_is_no_activity(service: Service, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a session that has a minute left of its idle time, which any other request of a page would begin again."""
    monkeypatch.setattr(events, "CHECKED_S", 0.05)
    browser = service.in_browser("viewer")
    unused_since = now() - timedelta(seconds=service.settings.session_idle_s - 60)

    def set_used(moment: datetime) -> None:
        with service.database.writing() as session:
            session.execute(update(LoginSession).values(used_at=moment))

    def used() -> datetime | None:
        with service.database.reading() as session:
            return session.scalar(select(LoginSession.used_at))

    set_used(unused_since)
    cookie = {"Cookie": f"ibcc_session={browser.cookies['ibcc_session']}"}
    with (
        httpx2.Client(timeout=30, headers=cookie) as client,
        client.stream("GET", f"{url}/api/v1/events", params={"topics": "jobs"}) as response,
    ):
        heard = Stream(response)
        tell(service, "jobs", 1)
        assert heard.numbers(1) == [1]
        assert used() == unused_since
        assert client.get(f"{url}/api/v1/fabrics", headers={"X-Unattended": "1"}).status_code == 200
        assert used() == unused_since, "a page that nobody touches asks by itself"
        set_used(unused_since - timedelta(seconds=60))
        with pytest.raises(EOFError):
            heard.next()
        set_used(unused_since)
        assert client.get(f"{url}/api/v1/fabrics").status_code == 200
        assert used() != unused_since


def test_a_person_has_a_number_of_streams_at_most(service: Service, url: str) -> None:
    service.settings.streams_of_person = 2
    with stream(url, service, "jobs") as first, stream(url, service, "jobs") as second:
        refused = service.as_role("viewer").get("/api/v1/events", params={"topics": "jobs"})
        assert (refused.status_code, refused.json()["type"]) == (429, "/problems/too-many-requests")
        assert "viewer has 2 open streams" in refused.json()["detail"]
        assert int(refused.headers["Retry-After"]) > 0
        with stream(url, service, "jobs", "operator") as heard:  # others are not held up
            tell(service, "jobs", 1)
            assert [one.numbers(1) for one in (first, second, heard)] == [[1]] * 3


@pytest.mark.long
def test_a_hundred_listeners_hear_everything(service: Service, url: str) -> None:
    async def listen() -> list[list[int]]:
        import asyncio

        headers = {"Authorization": service.as_role("viewer").headers["Authorization"]}
        limits = httpx2.Limits(max_connections=None)
        ready = 0
        everybody = asyncio.Event()

        async def one(client: httpx2.AsyncClient) -> list[int]:
            nonlocal ready
            numbers: list[int] = []
            async with client.stream("GET", f"{url}/api/v1/events?topics=jobs", headers=headers) as response:
                async for line in response.aiter_lines():
                    if line.startswith(":") and not numbers:
                        ready += 1
                        if ready == 100:
                            everybody.set()
                    if line.startswith("data: "):
                        numbers.append(json.loads(line[6:])["number"])
                        if len(numbers) == 3:
                            break
            return numbers

        async with httpx2.AsyncClient(timeout=60, limits=limits) as client:
            tasks = [asyncio.create_task(one(client)) for _ in range(100)]
            await asyncio.wait_for(everybody.wait(), 60)
            assert service.app.state.hub.listeners == 100
            for number in range(3):
                await asyncio.to_thread(tell, service, "jobs", number)
            return await asyncio.gather(*tasks)

    import asyncio

    assert asyncio.run(listen()) == [[0, 1, 2]] * 100


@pytest.mark.parametrize(
    ("topics", "last", "status"),
    [
        ("", None, 422),
        ("everything", None, 422),
        ("fabric:", None, 422),
        ("jobs,nothing:1", None, 422),
        (",".join(f"fabric:{n}" for n in range(51)), None, 422),
        ("jobs", "-1", 422),
        ("jobs", "1e3", 422),
        ("jobs", "9" * 19, 422),
        ("jobs", "\N{SUPERSCRIPT TWO}", 422),
        ("audit", None, 403),
        ("fabric:b", None, 403),
    ],
)
def test_what_is_refused(service: Service, topics: str, last: str | None, status: int) -> None:
    client = service.as_role("viewer", fabrics=["a"])
    headers = {} if last is None else {b"Last-Event-ID": last.encode()}
    answer = client.get("/api/v1/events", params={"topics": topics}, headers=headers)
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == "application/problem+json"
