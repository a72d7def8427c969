# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""An alarm: of a finding, by its entry, code and place, or of a metric that has changed. TABLE has all that can happen to one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, TypeAlias

from tuner.checks.severity import Severity

AlarmState: TypeAlias = Literal["open", "waiting", "muted", "muted, waiting", "closed"]
"""`waiting`: not seen in the last night in which its place was measured, and not repaired yet."""
Signal: TypeAlias = Literal["seen", "worse", "absent", "enough", "unmeasured", "repaired", "mute", "unmute"]
"""`worse`: seen, and beyond what was told. `absent`: its place was measured, and did not show it; `enough`: in as many nights as
make a repair. `repaired`: a person says so. `mute`, `unmute`: a mute is in force tonight, or none is."""

TABLE: Mapping[AlarmState, Mapping[Signal, tuple[AlarmState, str]]] = {
    "open": {
        "worse": ("open", "worse"),
        "absent": ("waiting", ""),
        "enough": ("closed", ""),
        "repaired": ("closed", ""),
        "mute": ("muted", ""),
    },
    "waiting": {
        "seen": ("open", ""),
        "worse": ("open", "worse"),
        "enough": ("closed", ""),
        "repaired": ("closed", ""),
        "mute": ("muted, waiting", ""),
    },
    "muted": {
        "absent": ("muted, waiting", ""),
        "enough": ("closed", ""),
        "repaired": ("closed", ""),
        "unmute": ("open", "its mute has ended"),
    },
    "muted, waiting": {
        "seen": ("muted", ""),
        "worse": ("muted", ""),
        "enough": ("closed", ""),
        "repaired": ("closed", ""),
        "unmute": ("waiting", ""),
    },
    "closed": {"seen": ("open", "new"), "worse": ("open", "new")},
}
"""The next state by state and signal, and what is news about it. A signal that is not there changes nothing, and is no news."""

CHANGED = "changed"
"""Code of a metric that is not as in the baseline."""
RANK: Mapping[Severity, int] = {"warn": 0, "fail": 1}


def after(state: AlarmState, signal: Signal) -> tuple[AlarmState, str]:
    return TABLE[state].get(signal, (state, ""))


@dataclass(frozen=True, kw_only=True)
class Sighting:
    """What a night shows of an alarm. `place`, `nodes`: as Finding has them; of a metric, its name. `level`: how bad it is, more
    is worse; None where that is not compared. `worse`: it is beyond what was told, however that was found. `since`: the first
    night that had it, if that was earlier."""

    subject: str
    code: str
    place: str
    severity: Severity
    sentence: str
    nodes: tuple[str, ...] = ()
    level: float | None = None
    worse: bool = False
    since: date | None = None

    @property
    def key(self) -> str:
        return alarm_key(self.subject, self.code, self.place)


@dataclass(frozen=True, kw_only=True)
class Alarm:
    """`subject`: entry, or `entry.metric`. `news`: what is new about it in the last night; empty if nothing is. `opened`: its
    first night. `seen`: the last night that showed it. `absent`: nights since then in which its place was measured. `severity`,
    `sentence`: as it was seen last. `told`, `level`: the worst severity and level that were told. `because`: who has muted or
    closed it, and why."""

    subject: str
    code: str
    place: str
    state: AlarmState = "closed"
    news: str = ""
    severity: Severity = "fail"
    sentence: str = ""
    opened: date = date.min
    seen: date = date.min
    absent: int = 0
    told: Severity = "warn"
    level: float | None = None
    nodes: tuple[str, ...] = ()
    because: str = ""

    @property
    def key(self) -> str:
        """Tells it from the others of a check."""
        return alarm_key(self.subject, self.code, self.place)

    @property
    def entry(self) -> str:
        return self.subject.partition(".")[0]

    @property
    def is_new(self) -> bool:
        """True if a person must be told of it tonight."""
        return self.state == "open" and bool(self.news)

    @property
    def is_muted(self) -> bool:
        return self.state in ("muted", "muted, waiting")

    @classmethod
    def from_plain(cls, document: Mapping[str, Any]) -> "Alarm":
        """Raises KeyError, TypeError and ValueError for what is none."""
        if document["state"] not in TABLE:
            raise ValueError(f"state '{document['state']}' of an alarm is unknown")
        dates = {key: date.fromisoformat(document[key]) for key in ("opened", "seen")}
        return cls(**{**document, **dates, "nodes": tuple(document["nodes"])})


def alarm_key(subject: str, code: str, place: str) -> str:
    return subject if code == CHANGED else f"{subject}: {code} at {place}"


@dataclass(frozen=True)
class AlarmCounts:
    """Numbers of alarms that are open: new in the last night, or known; and of those that are muted. Warnings count too."""

    new: int = 0
    known: int = 0
    muted: int = 0

    @classmethod
    def of(cls, alarms: Iterable[Alarm]) -> "AlarmCounts":
        some = list(alarms)
        new, opened = sum(one.is_new for one in some), sum(one.state == "open" for one in some)
        return cls(new=new, known=opened - new, muted=sum(one.state == "muted" for one in some))

    @property
    def text(self) -> str:
        """`1 new, 2 known, 1 muted`; empty without any."""
        parts = ((self.new, "new"), (self.known, "known"), (self.muted, "muted"))
        return ", ".join(f"{count} {what}" for count, what in parts if count)
