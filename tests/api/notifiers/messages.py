# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Messages and hostile texts for tests of notifiers."""

from datetime import UTC, datetime
from typing import Any

from api.events.items import item_of
from api.events.severities import Severity
from api.notifiers.message import MOST_ITEMS, Message

AT = datetime(2026, 1, 2, 3, 4, 5, 678000, UTC)

HOSTILE = (
    "<script>alert(1)</script>",
    "S1\r\nBcc: everybody@example.org\r\n\r\n.\r\nQUIT",
    "S1\x00\x07\x1b[2J\u2028\u202egnp.exe",
    "S1 <!channel> =HYPERLINK(1) {{7*7}} $(reboot) %s %n",
    "\ud800 lone",
    "\u00e4\u6f22\U0001f4a5",
    "x" * 65536,
    "",
)
"""Node descriptions that somebody might set."""


def message(*texts: str, kind: str = "device.lost", severity: Severity = "warning", fabric: str | None = "lab") -> Message:
    """A message with one event for each device's name."""
    items = [
        item_of(n, AT, "fabric:lab", kind, fabric, severity, {"headline": f"{text} is missing"})
        for n, text in enumerate(texts, 1)
    ]
    return Message("0" * 31 + "1", "ops", severity, items[:MOST_ITEMS], {severity: len(texts)}, AT)


def event_data(number: int) -> dict[str, Any]:
    return {"name": f"S{number}", "kind": "switch", "headline": f"S{number} is missing"}
