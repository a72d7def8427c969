# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The service's events, read from its stream (HTML standard, 9.2) across broken connections."""

import json
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import httpx2

from api.client.connection import Connection, RefusedError
from tuner.errors import UnreachableError

GIVEN_UP_S = 120.0
"""Longest time that a service may be unavailable; a restart takes less."""
_AGAIN_S = 0.5


@dataclass(frozen=True)
class ServiceEvent:
    """`kind` is the service's (`state`, `trial`, `job`, …), or `open`: the stream is open, also anew; whatever is known should be
    asked for again, since events may have been lost meanwhile."""

    kind: str
    data: dict[str, Any]


def events(connection: Connection, topics: Sequence[str]) -> Iterator[ServiceEvent]:
    """Without end. Raises RefusedError, and UnreachableError when the service has been away for too long."""
    last = ""
    seen_s = time.monotonic()
    while True:
        try:
            with connection.lines("/events", {"Last-Event-ID": last} if last else {}, topics=",".join(topics)) as lines:
                seen_s = time.monotonic()
                yield ServiceEvent("open", {})
                for number, event in _parsed(lines):
                    seen_s = time.monotonic()
                    last = number or last
                    yield ServiceEvent("open", {}) if event.kind == "reset" else event
        except httpx2.TransportError as error:
            if time.monotonic() - seen_s >= GIVEN_UP_S:
                raise UnreachableError(f"the service at {connection.address} is not responding any more: {error}") from error
        except RefusedError as error:
            if error.status < 500 or time.monotonic() - seen_s >= GIVEN_UP_S:  # a proxy says 502 while the service restarts
                raise
        threading.Event().wait(_AGAIN_S)


def _parsed(lines: Iterator[str]) -> Iterator[tuple[str, ServiceEvent]]:
    """(id, event). Comments keep the connection alive and are nothing else."""
    fields: dict[str, str] = {}
    for line in lines:
        if line == "":
            if "data" in fields:
                yield fields.get("id", ""), ServiceEvent(fields.get("event", "message"), json.loads(fields["data"]))
            fields = {}
        elif not line.startswith(":"):
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
