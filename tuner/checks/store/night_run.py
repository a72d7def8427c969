# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One run of a check, as its history has it: what each entry observed, and the verdict of that time."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import date
from typing import Any

from tuner.checks.alarm import Alarm, AlarmCounts
from tuner.checks.cause import Cause
from tuner.checks.observation import Finding
from tuner.checks.states import FAIL, KNOWN, NOT_RUN, STATES, WARN
from tuner.errors import BadInputError

SCHEMA = 1


@dataclass(frozen=True, kw_only=True)
class EntryRun:
    """`options`: a digest of the entry's options and the fabric; values of different ones are not compared. `values`: by the
    metric's name within the entry; None for one without a value. `units`: likewise. `not_run`: why there are none. `good`: it was
    run, and nothing of it failed. `private`, `regime`, `not_judged`: as Observation has them."""

    name: str
    kind: str
    options: str
    values: Mapping[str, float | None]
    units: Mapping[str, str]
    findings: tuple[Finding, ...]
    not_run: str | None
    facts: tuple[str, ...] = ()
    good: bool = False
    private: tuple[str, ...] = ()
    regime: str | None = None
    not_judged: str | None = None

    @property
    def is_learnt(self) -> bool:
        """True if a baseline may have its metrics."""
        return self.not_run is None and self.not_judged is None


@dataclass(frozen=True, kw_only=True)
class Remark:
    """A sentence about an entry, a finding or a metric. `subject`: `entry` or `entry.metric`. `state`: name of the state that it
    puts the check in. `since`: the first night that had it, ISO 8601; None for what is new, and in files of earlier versions.
    `code`: of its alarm; empty without one."""

    subject: str
    state: str
    sentence: str
    since: str | None = None
    code: str = ""


@dataclass(frozen=True, kw_only=True)
class StoredJudgement:
    """A metric's verdict of that night. `evidence`, `latest`: as Judgement has them; None for no value yet. `since`: the first
    changed night; None if it has not changed. `state`, `sentence`: the remark on an alarm; empty without one. `options`: the
    digest of the entry's options."""

    changed: bool
    evidence: float | None
    latest: float | None
    since: date | None
    state: str = ""
    sentence: str = ""
    options: str = ""


@dataclass(frozen=True, kw_only=True)
class NightRun:
    """`number`: counts the runs of a history, whatever the clock says; 0 before it is stored. `started`, `ended`: ISO 8601.
    `state` and `headline`: the verdict. `remarks`: all of it. `causes`: the likely ones, the most likely first. `judged`: by
    `entry.metric`. `baseline`: the key of the baseline that it was judged with; None if there was none. `alarms`: as the run
    leaves them, those that it closes among them; None in files of earlier versions. `fabric`: its name. `learning`: how far the
    baseline was, if there was none."""

    check: str
    date: date
    number: int
    started: str
    ended: str
    entries: tuple[EntryRun, ...]
    state: str
    headline: str
    remarks: tuple[Remark, ...] = ()
    causes: tuple[Cause, ...] = ()
    judged: Mapping[str, StoredJudgement] = field(default_factory=dict)
    baseline: str | None = None
    alarms: tuple[Alarm, ...] | None = None
    fabric: str = ""
    learning: str | None = None

    @property
    def counts(self) -> AlarmCounts:
        """Numbers of its alarms; none of a run of an earlier version."""
        return AlarmCounts.of(self.alarms or ())

    @property
    def is_known(self) -> bool:
        """True if all that puts it in its state was told in an earlier night."""
        grave = [one for one in self.remarks if one.state == self.state]
        return self.state in (FAIL.name, WARN.name) and bool(grave) and all(one.since is not None for one in grave)

    @property
    def exit_code(self) -> int:
        """That of its state; KNOWN if it fails by what is known alone, and all else could be run."""
        if self.state == FAIL.name and self.is_known:
            return NOT_RUN.exit_code if any(one.state == NOT_RUN.name for one in self.remarks) else KNOWN
        return STATES[self.state].exit_code

    @property
    def observed(self) -> bool:
        """True if at least one entry could be run."""
        return any(entry.not_run is None for entry in self.entries)

    def to_text(self) -> str:
        document = {"ibcc_check_run": SCHEMA, **asdict(self)}
        return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False, default=date.isoformat) + "\n"

    @classmethod
    def from_text(cls, text: str, *, source: str) -> "NightRun":
        """Raises BadInputError for a text that is no run of a check."""
        try:
            document = json.loads(text)
            if document.pop("ibcc_check_run") != SCHEMA:
                raise ValueError("it is of another version of ibcc")
            entries = tuple(_entry(entry) for entry in document.pop("entries"))
            document["date"] = date.fromisoformat(document["date"])
            document["remarks"] = tuple(Remark(**one) for one in document["remarks"])
            document["causes"] = tuple(Cause.from_plain(one) for one in document["causes"])
            document["judged"] = {name: _judgement(one) for name, one in document["judged"].items()}
            alarms = document.get("alarms")
            document["alarms"] = None if alarms is None else tuple(Alarm.from_plain(one) for one in alarms)
            if document["state"] not in STATES:
                raise ValueError(f"state '{document['state']}' is unknown")
            return cls(**document, entries=entries)
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise BadInputError(f"is no run of a check: {error}; move the file elsewhere", source=source) from error


def _entry(document: dict[str, Any]) -> EntryRun:
    findings = tuple(Finding(**finding | {"nodes": tuple(finding["nodes"])}) for finding in document["findings"])
    known = {field.name for field in fields(EntryRun)}
    plain = {key: value for key, value in document.items() if key in known}
    for name, value in document["values"].items():
        if value is not None and (type(value) not in (int, float) or not math.isfinite(value)):
            raise ValueError(f"{name} is {value!r}")
    lists = {key: tuple(plain.get(key, ())) for key in ("facts", "private")}
    return EntryRun(**plain | lists | {"findings": findings})


def _judgement(document: dict[str, Any]) -> StoredJudgement:
    since = document["since"]
    return StoredJudgement(**document | {"since": None if since is None else date.fromisoformat(since)})
