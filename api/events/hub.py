# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Events from the table to those who listen. One thread of the server reads new rows for all of them; a listener is a bounded
queue in the event loop. Who does not keep up is cut off, and resumes from the table with Last-Event-ID."""

import asyncio
import contextlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import structlog
from sqlalchemy import delete, func, select
from sqlalchemy.exc import SQLAlchemyError

from api.base.supervised import Supervised
from api.base.times import now, rfc3339
from api.database.engine import Database
from api.database.models.event import Event
from api.database.unreadable import unreadable_columns
from api.events.items import text_of

_log = structlog.get_logger()

POLL_S = 0.25
_QUEUED = 1000
_BATCH = 500
_NAMED = 5


@dataclass(frozen=True)
class Message:
    """An event, detached from the database."""

    id: int
    topic: str
    kind: str
    fabric: str | None
    data: dict[str, Any]


@dataclass(eq=False)
class Listener:
    """`owner`: the person's identifier. `overrun`: it was too slow, and its queue lacks events."""

    topics: frozenset[str]
    loop: asyncio.AbstractEventLoop
    queue: asyncio.Queue[Message | None] = field(default_factory=lambda: asyncio.Queue(_QUEUED))
    overrun: bool = False
    owner: str = ""

    def hand_over(self, message: Message | None) -> None:
        """From any thread."""
        with contextlib.suppress(RuntimeError):  # the loop has ended, and the stream with it
            self.loop.call_soon_threadsafe(self._offer, message)

    def _offer(self, message: Message | None) -> None:
        try:
            self.queue.put_nowait(message)
        except asyncio.QueueFull:
            self.overrun = True


class Hub:
    """start() and stop() once each."""

    def __init__(self, database: Database, kept_s: float, poll_s: float = POLL_S) -> None:
        self._database, self._kept_s, self._poll_s = database, kept_s, poll_s
        self._listeners: set[Listener] = set()
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self.thread = Supervised("events", self._run)
        self._unreadable = dict[int, None]()
        self._last = 0

    def start(self) -> None:
        self._last = self.newest()
        self.thread.start()

    def stop(self) -> None:
        """Ends all streams."""
        self.end_streams()
        self.thread.join(10)

    def end_streams(self) -> None:
        """Any thread, and a signal handler: ends all streams, so that the server's end need not wait for them."""
        self._ending.set()
        self.thread.end()
        for listener in list(self._listeners):
            listener.hand_over(None)

    @property
    def listeners(self) -> int:
        """Number of open streams."""
        return len(self._listeners)

    @property
    def is_ending(self) -> bool:
        return self._ending.is_set()

    def count_of(self, owner: str) -> int:
        """Number of open streams of a person."""
        with self._lock:
            return sum(listener.owner == owner for listener in self._listeners)

    def listen(self, topics: frozenset[str], owner: str = "") -> Listener:
        """From now on; to be called in the event loop, and left with forget()."""
        listener = Listener(topics, asyncio.get_running_loop(), owner=owner)
        with self._lock:
            self._listeners.add(listener)
        return listener

    def forget(self, listener: Listener) -> None:
        with self._lock:
            self._listeners.discard(listener)

    def newest(self) -> int:
        """The number of the newest event; 0: there was none yet."""
        with self._database.reading() as session:
            return session.scalar(select(func.max(Event.id))) or 0

    def oldest(self) -> int | None:
        with self._database.reading() as session:
            return session.scalar(select(func.min(Event.id)))

    def since(self, last: int, topics: Sequence[str] | None = None, limit: int = _BATCH) -> list[Message]:
        """Events after number `last`, oldest first; those of `topics`, or all. An event that cannot be read is left out."""
        return self._batch(last, topics, limit)[0]

    def remark(self) -> str | None:
        """Returns a sentence if there are events that cannot be read."""
        found = sorted(self._unreadable)
        if not found:
            return None
        named = ", ".join(map(str, found[:_NAMED])) + (", …" if len(found) > _NAMED else "")
        return f"Events that cannot be read are left out: {len(found)} since the service began ({named})."

    def _batch(self, last: int, topics: Sequence[str] | None, limit: int) -> tuple[list[Message], int]:
        """The events, and the number of the last one that was looked at."""
        messages, before = list[Message](), last
        query = select(Event).where(Event.id > last).order_by(Event.id).limit(limit)
        if topics is not None:
            query = query.where(Event.topic.in_(topics))
        with self._database.reading() as session:
            for event in session.scalars(query):
                last = event.id
                try:
                    messages.append(_message(event))
                except Exception as error:  # the others are heard nevertheless
                    if event.id not in self._unreadable:
                        _log.error("event.unreadable", number=event.id, topic=event.topic, error=type(error).__name__)
                        self._unreadable[event.id] = None
        if not messages and last != before:  # whoever asks takes an empty list for the end
            return self._batch(last, topics, limit)
        return messages, last

    def _run(self) -> None:
        looks = 0
        while not self._ending.wait(self._poll_s):
            try:
                while True:
                    messages, self._last = self._batch(self._last, None, _BATCH)
                    if not messages:
                        break
                    self._hand_out(messages)
                if looks % int(600 / self._poll_s) == 0:
                    self._sweep()
                looks += 1
            except SQLAlchemyError as error:
                _log.warning("events.database", error=str(error).splitlines()[0])

    def _hand_out(self, messages: list[Message]) -> None:
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            for message in messages:
                if message.topic in listener.topics:
                    listener.hand_over(message)

    def _sweep(self) -> None:
        with self._database.writing(durable=False) as session:
            session.execute(delete(Event).where(Event.at < now() - timedelta(seconds=self._kept_s)))


def _message(event: Event) -> Message:
    if names := unreadable_columns(event):
        raise ValueError(f"{', '.join(names)} cannot be read")
    told = {"at": rfc3339(event.at), "topic": event.topic}
    if event.severity is not None:
        told |= {"severity": event.severity, "text": text_of(event.topic, event.kind, event.data)}
    data = told | event.data
    return Message(event.id, event.topic, event.kind, event.fabric, data)
