# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One run of a check, as its history has it: what each entry observed, and the verdict of that time."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import date
from typing import Any

from tuner.checks.observation import Finding
from tuner.errors import BadInputError

SCHEMA = 1


@dataclass(frozen=True, kw_only=True)
class EntryRun:
    """`options`: a digest of the entry's options and the fabric; values of different ones are not compared. `values`: by the
    metric's name within the entry; None for one without a value. `units`: likewise. `not_run`: why there are none."""

    name: str
    kind: str
    options: str
    values: Mapping[str, float | None]
    units: Mapping[str, str]
    findings: tuple[Finding, ...]
    not_run: str | None
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class NightRun:
    """`number`: counts the runs of a history, whatever the clock says; 0 before it is stored. `started`, `ended`: ISO 8601.
    `state` and `headline`: the verdict."""

    check: str
    date: date
    number: int
    started: str
    ended: str
    entries: tuple[EntryRun, ...]
    state: str
    headline: str

    @property
    def observed(self) -> bool:
        """True if at least one entry could be run."""
        return any(entry.not_run is None for entry in self.entries)

    def to_text(self) -> str:
        document = {"ibcc_check_run": SCHEMA, **asdict(self), "date": self.date.isoformat()}
        return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_text(cls, text: str, *, source: str) -> "NightRun":
        """Raises BadInputError for a text that is no run of a check."""
        try:
            document = json.loads(text)
            if document.pop("ibcc_check_run") != SCHEMA:
                raise ValueError("it is of another version of ibcc")
            entries = tuple(_entry(entry) for entry in document.pop("entries"))
            return cls(**document | {"date": date.fromisoformat(document["date"])}, entries=entries)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise BadInputError(f"is no run of a check: {error}; move the file elsewhere", source=source) from error


def _entry(document: dict[str, Any]) -> EntryRun:
    findings = tuple(Finding(**finding) for finding in document["findings"])
    known = {field.name for field in fields(EntryRun)}
    plain = {key: value for key, value in document.items() if key in known}
    return EntryRun(**plain | {"findings": findings, "facts": tuple(document["facts"])})
