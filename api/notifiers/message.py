# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A message to an address: the events of one delivery, as JSON in its row and as text for people."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from api.events.severities import SEVERITIES, Severity
from api.events.texts import plain

MOST_ITEMS = 100
"""Events of a message that are described; further ones are only counted."""


@dataclass(frozen=True)
class Message:
    """`items`: the first events, at most MOST_ITEMS, the gravest included as they came; `counts`: of all events, by severity."""

    id: str
    """The delivery's. An attempt that is repeated has the same one, so that a receiver can drop what it already has."""
    address: str
    severity: Severity
    items: Sequence[Mapping[str, Any]]
    counts: Mapping[Severity, int]
    created_at: datetime
    test: bool = False

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def omitted(self) -> int:
        """Number of events that are only counted."""
        return self.total - len(self.items)

    @property
    def fabrics(self) -> list[str]:
        return sorted({str(item["fabric"]) for item in self.items if item["fabric"]})

    def title(self) -> str:
        """Returns one line: `error on prod: S1 is missing`, or the number of events."""
        if self.test:
            return str(self.items[0]["text"])
        where = ", ".join(self.fabrics[:3]) + (" and others" if len(self.fabrics) > 3 else "")
        what = str(self.items[0]["text"]) if self.total == 1 else self.summary()
        return plain(f"{self.severity}{f' on {where}' if where else ''}: {what}", 200)

    def summary(self) -> str:
        """Returns the numbers of events: `3 events (1 error, 2 warnings)`."""
        each = [
            f"{self.counts[level]} {level}{'s' if self.counts[level] > 1 and level != 'info' else ''}"
            for level in reversed(SEVERITIES)
            if self.counts.get(level)
        ]
        return f"{self.total} event{'s' if self.total > 1 else ''} ({', '.join(each)})"

    def lines(self) -> Iterator[str]:
        """Yields a line for each item."""
        for item in self.items:
            where = f"{item['fabric']}: " if item["fabric"] else ""
            yield f"{item['at']} {item['severity']} {where}{item['text']}"
        if self.omitted > 0:
            yield f"and {self.omitted} more; the events are in the web interface"
