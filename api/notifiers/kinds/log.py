# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Writes events into the server's log, from where the journal's own tools take them."""

import structlog

from api.configuration.notification_addresses import Log
from api.notifiers.message import Message
from api.notifiers.sender import SENDERS

_log = structlog.get_logger()


class LogSender:
    """A line for each event, at the event's severity."""

    def __init__(self, name: str, options: Log) -> None:
        pass

    def send(self, message: Message) -> str | None:
        for item in message.items:
            write = getattr(_log, item["severity"])
            write(item["kind"], fabric=item["fabric"], text=item["text"], number=item["event"], delivery=message.id)
        if message.omitted > 0:
            _log.warning("notify.omitted", events=message.omitted, delivery=message.id)
        return None


SENDERS.add("log", LogSender)
