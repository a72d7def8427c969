# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Events from the table to listeners: in order, without a gap, each once."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from api.database.engine import Database
from api.events.hub import Hub, Listener, Message
from api.events.publish import publish
from tests.api.jobs.test_unreadable import damage


@pytest.fixture
def hub(database: Database) -> Iterator[Hub]:
    one = Hub(database, kept_s=3600, poll_s=0.02)
    one.start()
    yield one
    one.stop()


def tell(database: Database, topic: str, number: int) -> None:
    with database.writing() as session:
        publish(session, topic, "test", {"number": number})


async def hear(listener: Listener, count: int) -> list[Message]:
    messages = [await asyncio.wait_for(listener.queue.get(), 30) for _ in range(count)]
    assert None not in messages
    return messages  # type: ignore[return-value]


def test_listeners_hear_their_topics_in_order(database: Database, hub: Hub) -> None:
    async def listen() -> None:
        jobs, both = hub.listen(frozenset({"jobs"})), hub.listen(frozenset({"jobs", "fabric:a"}))
        for number, topic in enumerate(("jobs", "fabric:a", "fabric:b", "jobs")):
            await asyncio.to_thread(tell, database, topic, number)
        assert [message.data["number"] for message in await hear(jobs, 2)] == [0, 3]
        assert [message.data["number"] for message in await hear(both, 3)] == [0, 1, 3]
        hub.forget(jobs)
        assert hub.listeners == 1

    asyncio.run(listen())


def test_writers_at_the_same_time_leave_no_gap(database: Database, hub: Hub) -> None:
    """In PostgreSQL numbers are given before they are committed: a reader could pass by one that comes late."""

    def tell_many(writer: int) -> None:
        for number in range(25):
            tell(database, "jobs", writer * 100 + number)

    async def listen() -> list[Message]:
        listener = hub.listen(frozenset({"jobs"}))
        threads = [threading.Thread(target=tell_many, args=(writer,)) for writer in range(4)]
        for thread in threads:
            thread.start()
        return await hear(listener, 100)

    messages = asyncio.run(listen())
    assert sorted(message.data["number"] for message in messages) == [w * 100 + n for w in range(4) for n in range(25)]
    assert [message.id for message in messages] == sorted(message.id for message in messages)


def test_what_was_rolled_back_is_not_heard(database: Database, hub: Hub) -> None:
    def fails() -> None:
        with database.writing() as session:
            publish(session, "jobs", "test", {"number": 1})
            raise RuntimeError("no")

    async def listen() -> list[Message]:
        listener = hub.listen(frozenset({"jobs"}))
        with pytest.raises(RuntimeError):
            await asyncio.to_thread(fails)
        await asyncio.to_thread(tell, database, "jobs", 2)
        return await hear(listener, 1)

    assert [message.data["number"] for message in asyncio.run(listen())] == [2]


def test_who_does_not_keep_up_is_told_so(database: Database, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    async def listen() -> None:
        listener = Listener(frozenset({"jobs"}), asyncio.get_running_loop(), asyncio.Queue(2))
        hub._listeners.add(listener)
        for number in range(4):
            await asyncio.to_thread(tell, database, "jobs", number)
        while not listener.overrun:
            await asyncio.sleep(0.01)
        assert [message.data["number"] for message in await hear(listener, 2)] == [0, 1]

    asyncio.run(asyncio.wait_for(listen(), 30))


def test_old_events_are_forgotten_and_their_numbers_not_given_again(database: Database) -> None:
    for number in range(3):
        tell(database, "jobs", number)
    hub = Hub(database, kept_s=-1)
    assert (hub.oldest(), hub.newest()) == (1, 3)
    hub._sweep()
    assert (hub.oldest(), hub.newest()) == (None, 0)
    tell(database, "jobs", 3)
    assert hub.oldest() == 4


def test_an_event_that_cannot_be_read_is_left_out_and_named(database: Database, hub: Hub) -> None:
    async def listen() -> list[Message]:
        for number in range(3):
            await asyncio.to_thread(tell, database, "jobs", number)
        damage(database, "events", "data", key="2")
        assert [message.id for message in hub.since(0)] == [1, 3]
        assert [message.id for message in hub.since(0, limit=1)] == [1]
        assert [message.id for message in hub.since(1, limit=1)] == [3], "an empty list would be taken for the end"
        listener = hub.listen(frozenset({"jobs"}))
        await asyncio.to_thread(tell, database, "jobs", 3)
        heard = await hear(listener, 1)
        while heard[-1].data["number"] != 3:  # the thread may not have come to the first ones before
            heard += await hear(listener, 1)
        return heard

    assert 1 not in [message.data["number"] for message in asyncio.run(listen())]
    assert hub.remark() == "Events that cannot be read are left out: 1 since the service began (2)."
    assert hub.thread.trouble() is None
