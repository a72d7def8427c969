# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The nights that a person accepted as normal."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any

from tuner.errors import BadInputError

SCHEMA = 1
MOST_FORMER = 3
"""Former baselines of all metrics that are kept."""
MOST_PARTS = 20
"""Baselines of some metrics that are kept on top of those."""


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """`nights`: accepted dates, ascending. `up_to`: number of the last run at that time; a repetition of an accepted night
    since then is not part of the baseline. `by`, `at`: who accepted it, and when (ISO 8601). `only`: entries and metrics
    (`entry.metric`) that it is for, while the others have the former one; empty: all. `former`: the one that it replaced."""

    nights: tuple[date, ...]
    up_to: int
    by: str
    at: str
    former: "Baseline | None" = None
    only: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Tells it from other baselines of the same history."""
        return f"{self.at}, up to {self.up_to}, {len(self.nights)} nights from {self.nights[0]} to {self.nights[-1]}"

    @property
    def last_number(self) -> int:
        return max(self.up_to, 0 if self.former is None else self.former.last_number)

    @property
    def whole(self) -> "Baseline":
        """The last one that is for all metrics."""
        return self if not self.only or self.former is None else self.former.whole

    def of(self, metric: str) -> "Baseline":
        """The one that a metric has. `metric`: `entry.metric`."""
        is_mine = not self.only or metric in self.only or metric.partition(".")[0] in self.only
        return self if is_mine or self.former is None else self.former.of(metric)

    def is_for(self, entry: str) -> bool:
        """True if it is for the entry, or for a metric of it."""
        return not self.only or entry in {one.partition(".")[0] for one in self.only}

    def accepts(self, entry: str, night: date, number: int) -> bool:
        """True for a run whose entry a person has accepted, in this or a former one."""
        return (self.is_for(entry) and self.has(night, number)) or (
            self.former is not None and self.former.accepts(entry, night, number)
        )

    @property
    def chain(self) -> tuple["Baseline", ...]:
        """This one and its former ones, the newest first."""
        return (self, *(() if self.former is None else self.former.chain))

    def replaced(self, *, nights: tuple[date, ...], up_to: int, by: str, at: str, only: tuple[str, ...] = ()) -> "Baseline":
        """Returns the next one. It keeps MOST_FORMER that are for all metrics, for the way back to their profile, and those for
        some on top of them. Raises BadInputError if there are too many for some."""
        kept: list[Baseline] = []
        for night in self.chain:
            if sum(not known.only for known in kept) < MOST_FORMER:
                kept.append(night)
        if only and sum(bool(one.only) for one in kept) >= MOST_PARTS:
            raise BadInputError(
                f"{MOST_PARTS} baselines are for some metrics only; accept nights of all metrics before more of them"
            )
        former = None
        for one in reversed(kept):
            former = replace(one, former=former)
        return Baseline(nights=nights, up_to=up_to, by=by, at=at, former=former, only=only)

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
    only = tuple(document.get("only", ()))
    return Baseline(**document | {"nights": nights, "former": former, "only": only})


def accepted_baseline(
    present: Baseline | None, nights: Sequence[date], *, up_to: int, by: str, at: str, only: tuple[str, ...] = ()
) -> Baseline:
    """Returns the next baseline. Raises BadInputError for some metrics where there is none yet that the others have."""
    chosen = tuple(sorted(set(nights)))
    if present is None:
        if only:
            raise BadInputError(f"there is no baseline yet; accept nights of all metrics before those of {', '.join(only)}")
        return Baseline(nights=chosen, up_to=up_to, by=by, at=at)
    return present.replaced(nights=chosen, up_to=up_to, by=by, at=at, only=only)
