# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The nights that a person accepted as normal."""

import json
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from tuner.errors import BadInputError

SCHEMA = 1


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """`nights`: accepted dates, ascending. `up_to`: number of the last run at that time; a repetition of an accepted night
    since then is not part of the baseline. `by`, `at`: who accepted it, and when (ISO 8601). `former`: the one that it
    replaced, without that one's former."""

    nights: tuple[date, ...]
    up_to: int
    by: str
    at: str
    former: "Baseline | None" = None

    @property
    def key(self) -> str:
        """Tells it from other baselines of the same history."""
        return f"{self.at}, up to {self.up_to}, {len(self.nights)} nights from {self.nights[0]} to {self.nights[-1]}"

    @property
    def last_number(self) -> int:
        return max(self.up_to, 0 if self.former is None else self.former.last_number)

    def has(self, night: date, number: int) -> bool:
        """True for a run that is one of the baseline's."""
        return night in self.nights and number <= self.up_to

    def covers(self, night: date, number: int) -> bool:
        """True for a run that is one of the baseline's, or of its former's."""
        return self.has(night, number) or (self.former is not None and self.former.covers(night, number))

    def to_text(self) -> str:
        return json.dumps({"ibcc_check_baseline": SCHEMA, **_plain(self)}, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_text(cls, text: str, *, source: str) -> "Baseline":
        """Raises BadInputError for a text that is no baseline."""
        try:
            document = json.loads(text)
            if document.pop("ibcc_check_baseline") != SCHEMA:
                raise ValueError("it is of another version of ibcc")
            return _read(document)
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise BadInputError(
                f"is no baseline of a check: {error}; remove the file, and accept nights again", source=source
            ) from error


def _plain(baseline: Baseline) -> dict[str, Any]:
    former = None if baseline.former is None else _plain(baseline.former)
    return asdict(baseline) | {"nights": [night.isoformat() for night in baseline.nights], "former": former}


def _read(document: dict[str, Any]) -> Baseline:
    former = None if document["former"] is None else _read(document["former"])
    nights = tuple(date.fromisoformat(night) for night in document["nights"])
    if not nights or list(nights) != sorted(set(nights)):
        raise ValueError("its nights are not in order")
    if type(document["up_to"]) is not int:
        raise ValueError(f"up_to is {document['up_to']!r}")
    return Baseline(**document | {"nights": nights, "former": former})
