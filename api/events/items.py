# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Events as items of messages."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from api.base.times import rfc3339
from api.database.unreadable import UnreadableDict
from api.events.sentences import sentence_of
from api.events.severities import Severity
from api.events.texts import plain

TEXT_LENGTH = 500
DATA_BYTES = 2048
"""Longest data of an event, as JSON, that an item repeats."""


def text_of(topic: str, kind: str, data: Mapping[str, Any]) -> str:
    """Returns an event as a sentence in one line of at most TEXT_LENGTH characters, without its fabric."""
    if isinstance(data, UnreadableDict):
        return "the data of this event cannot be read"
    return plain(sentence_of(topic, kind, data), TEXT_LENGTH)


def item_of(
    number: int, at: datetime, topic: str, kind: str, fabric: str | None, severity: Severity, data: Mapping[str, Any]
) -> dict[str, Any]:
    """Returns an event as JSON: `event`, `at`, `fabric`, `kind`, `severity`, `text`, one line of at most TEXT_LENGTH
    characters, and `data`, which is null where it is too long."""
    return {
        "event": number,
        "at": rfc3339(at),
        "fabric": fabric,
        "kind": kind,
        "severity": severity,
        "text": text_of(topic, kind, data),
        "data": dict(data) if len(json.dumps(data)) <= DATA_BYTES else None,
    }
