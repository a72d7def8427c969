# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Events as lines of syslog (RFC 5424): datagrams, or a stream with counted lines (RFC 6587, 3.4.1)."""

import os
import socket
from collections.abc import Iterator

from api.base.times import rfc3339
from api.configuration.notification_addresses import Syslog
from api.events.severities import Severity
from api.events.texts import ascii_only, plain
from api.notifiers.message import Message
from api.notifiers.outgoing import BoundedSocket, Route, deadline_in
from api.notifiers.sender import SENDERS, TIME_S

LINE_BYTES = 2048
"""Longest line: RFC 5424, 6.1, asks that receivers take as many."""

_FACILITIES = {"user": 1, "daemon": 3} | {f"local{number}": 16 + number for number in range(8)}
_LEVELS: dict[Severity, int] = {"error": 3, "warning": 4, "info": 6}


class SyslogSender:
    """Receivers confirm nothing: what a network or a receiver drops is lost."""

    def __init__(self, name: str, options: Syslog) -> None:
        self._options = options
        if options.ca_file is not None:
            Route.of(options, "", 0).tls_context()

    def send(self, message: Message) -> str | None:
        lines = list(lines_of(message, self._options.facility))
        if self._options.socket is not None:
            _send_locally(str(self._options.socket), lines)
            return None
        route = Route.of(self._options, self._options.server or "", self._options.whole_port)
        transport = self._options.transport
        with route.connect(deadline_in(TIME_S), udp=transport == "udp", tls=transport == "tls") as connection:
            if transport == "udp":
                for line in lines:
                    connection.send(line)
            else:
                connection.sendall(b"".join(b"%d %s" % (len(line), line) for line in lines))
        return None


def _send_locally(path: str, lines: list[bytes]) -> None:
    with BoundedSocket(socket.AF_UNIX, socket.SOCK_DGRAM) as connection:
        connection.deadline = deadline_in(TIME_S)
        connection.connect(path)
        for line in lines:
            connection.send(line)


def lines_of(message: Message, facility: str) -> Iterator[bytes]:
    """Yields a line for each event, and one for those that are only counted."""
    for item in message.items:
        where = f"fabric {item['fabric']}: " if item["fabric"] else ""
        yield _line(facility, item["severity"], item["at"], item["kind"], where + str(item["text"]))
    if message.omitted > 0:
        yield _line(facility, message.severity, rfc3339(message.created_at), "omitted", f"{message.omitted} more events")


def _line(facility: str, severity: Severity, at: str, kind: str, text: str) -> bytes:
    priority = 8 * _FACILITIES[facility] + _LEVELS[severity]
    host = ascii_only(socket.gethostname(), 255)
    head = f"<{priority}>1 {at} {host} ibcc {os.getpid()} {ascii_only(kind, 32)} - ".encode()
    body = f"\ufeff{plain(text, LINE_BYTES)}".encode()
    return head + body[: LINE_BYTES - len(head)].decode(errors="ignore").encode()


SENDERS.add("syslog", SyslogSender)
