# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What people have said about a check: what is repaired, what is muted, and which changes of the fabric are planned."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from functools import lru_cache
from typing import Any, Literal, TypeAlias, get_args

from tuner.checks.alarm import Alarm
from tuner.checks.symptoms.symptom import placed
from tuner.errors import BadInputError

SCHEMA = 1
MOST = 1000
"""Decisions of a check that are kept; the oldest that are over make room."""
MOST_CONFIRMED = 20
MOST_DAYS = 366
"""Longest time of a mute."""
_KEPT_DAYS = 4400

DecisionKind: TypeAlias = Literal["repaired", "mute", "gone", "moved"]
"""`gone`: hosts, switches or links are planned to be absent. `moved`: cables of these places are planned to be plugged
elsewhere."""

_WORDS = {"repaired": "repaired", "mute": "muted", "gone": "expected to be gone", "moved": "expected to be moved"}


@dataclass(frozen=True, kw_only=True)
class Decision:
    """`number`: within its check. `what`: a host, switch, port, link, set of nodes, entry, or `entry.metric`. `first`, `until`:
    the nights that it is for; None: without a limit. `because`: why. `by`, `at`: who said so, and when (ISO 8601). `after_run`:
    the number of the last run at that time."""

    number: int
    kind: DecisionKind
    what: str
    because: str
    by: str
    at: str
    after_run: int
    first: date | None = None
    until: date | None = None

    def is_for(self, night: date) -> bool:
        return (self.first is None or self.first <= night) and (self.until is None or night <= self.until)

    @property
    def told(self) -> str:
        until = "" if self.until is None else f" until {self.until}"
        return f"{_WORDS[self.kind]}{until} by {self.by}: {self.because}"


@dataclass(frozen=True, kw_only=True)
class Adopted:
    """The fabric that a person expects. `source`: where it is from, in words. `night`: whose it is. `options`: by entries
    that have a record of it, digests of their options."""

    source: str
    night: date
    by: str
    at: str
    because: str
    options: Mapping[str, str]

    @property
    def told(self) -> str:
        return f"compared with the expected fabric, {self.source}, adopted by {self.by}: {self.because}"


@dataclass(frozen=True, kw_only=True)
class Confirmed:
    """What a campaign's confirmation has measured. `source`: name of the campaign. `profile`: text of the one that it recommends.
    `workload`: its name. `values`: by metric of `fairness`, in the metric's unit."""

    source: str
    profile: str
    workload: str
    values: Mapping[str, float]

    @property
    def told(self) -> str:
        figures = ", ".join(f"{name} {value:.4g}" for name, value in self.values.items())
        return f"after a promotion of what campaign '{self.source}' recommends, workload '{self.workload}' is to have {figures}"


@dataclass(frozen=True)
class Decisions:
    """All of a check that are kept, by their numbers. `adopted`: None as long as nobody has adopted a fabric. `confirmed`:
    what campaigns expect of their profiles, the newest first."""

    made: tuple[Decision, ...] = ()
    adopted: Adopted | None = None
    confirmed: tuple[Confirmed, ...] = ()

    def repaired(self, alarm: Alarm, after_run: int) -> Decision | None:
        """The last one since that run that says that the alarm is repaired."""
        said = (one for one in reversed(self.made) if one.kind == "repaired" and one.after_run >= after_run)
        return next((one for one in said if is_at(one.what, alarm)), None)

    def mute(self, alarm: Alarm, night: date) -> Decision | None:
        """The one that mutes the alarm in this night for longest."""
        muting = [one for one in self.made if one.kind == "mute" and one.is_for(night) and is_at(one.what, alarm)]
        return max(muting, key=lambda one: one.until or date.max, default=None)

    def planned(self, night: date) -> tuple[Decision, ...]:
        """Planned changes of the fabric that this night may show."""
        return tuple(one for one in self.made if one.kind in ("gone", "moved") and one.is_for(night))

    def with_confirmed(self, one: Confirmed) -> "Decisions":
        """Another confirmation of the same settings takes the place of the former one; MOST_CONFIRMED are kept."""
        others = [known for known in self.confirmed if known.profile != one.profile]
        return replace(self, confirmed=(one, *others[: MOST_CONFIRMED - 1]))

    def get(self, number: int) -> Decision:
        """Raises BadInputError for a number that there is not."""
        found = next((one for one in self.made if one.number == number), None)
        if found is None:
            known = ", ".join(str(one.number) for one in self.made) or "none"
            raise BadInputError(f"there is no decision {number}; there are {known}")
        return found

    def without(self, number: int) -> "Decisions":
        """Raises BadInputError for a number that there is not."""
        gone = self.get(number)
        return replace(self, made=tuple(one for one in self.made if one is not gone))

    def without_mutes(self, what: str) -> "Decisions":
        """Raises BadInputError if nothing is muted there."""
        mutes = [one for one in self.made if one.kind == "mute"]
        mine = [one for one in mutes if one.what == what.strip()]
        if not mine:
            raise BadInputError(f"'{what}' is not muted; muted are: {', '.join(one.what for one in mutes) or 'none'}")
        return replace(self, made=tuple(one for one in self.made if one not in mine))

    def with_new(
        self,
        kind: DecisionKind,
        what: str,
        *,
        because: str,
        by: str,
        at: str,
        after_run: int,
        today: date,
        first: date | None = None,
        until: date | None = None,
    ) -> "Decisions":
        """Returns them with one more, the last, and without those that have been over for years. `today`: the last night, or the
        date if there is none. Raises BadInputError for one that says nothing, or that is for no night."""
        what = what.strip()
        if not what or len(what) > 500 or not what.isprintable():
            raise BadInputError(f"the place is {what[:80]!r}; it must be a host, switch, link or metric, as an alarm names it")
        because = require_reason(because)
        latest = today + timedelta(days=MOST_DAYS)
        if kind == "mute" and (until is None or not today <= until <= latest):
            raise BadInputError(f"the mute is until {until}; it must be until a night from {today} to {latest}")
        if until is not None and until < (first or today):
            raise BadInputError(f"it is until {until}, which is before {first or today}; it must be that night or a later one")
        one = Decision(
            number=1 + max((known.number for known in self.made), default=0),
            kind=kind,
            what=what,
            because=because,
            by=by,
            at=at,
            after_run=after_run,
            first=first,
            until=until,
        )
        kept = [known for known in self.made if _is_kept(known, today)]
        if len(kept) >= MOST:
            raise BadInputError(f"the check has {len(kept)} decisions, and at most {MOST}; withdraw some")
        return replace(self, made=(*kept, one))

    def to_text(self) -> str:
        document: dict[str, Any] = {"ibcc_check_decisions": SCHEMA, "decisions": [asdict(one) for one in self.made]}
        document["adopted"] = None if self.adopted is None else asdict(self.adopted)
        document["confirmed"] = [asdict(one) for one in self.confirmed]
        return json.dumps(document, indent=1, ensure_ascii=False, default=date.isoformat) + "\n"

    @classmethod
    def from_text(cls, text: str, *, source: str) -> "Decisions":
        """Raises BadInputError for a text that has none."""
        try:
            document = json.loads(text)
            if document["ibcc_check_decisions"] != SCHEMA:
                raise ValueError("it is of another version of ibcc")
            adopted = document["adopted"]
            return cls(
                tuple(_read(one) for one in document["decisions"]),
                None if adopted is None else Adopted(**adopted | {"night": date.fromisoformat(adopted["night"])}),
                tuple(Confirmed(**one) for one in document.get("confirmed", ())),
            )
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise BadInputError(f"has no decisions of a check: {error}; move the file elsewhere", source=source) from error


UNSAID = Decisions()
"""Nobody has said anything."""


def require_reason(text: str) -> str:
    """Raises BadInputError for a reason that is none."""
    reason = text.strip()
    if not reason or len(reason) > 500 or not reason.isprintable():
        raise BadInputError(f"the reason is {reason[:80]!r}; it must be a line of text, such as 'cable replaced'")
    return reason


def _read(document: dict[str, Any]) -> Decision:
    if document["kind"] not in get_args(DecisionKind):
        raise ValueError(f"kind is '{document['kind']}'")
    dates = {key: None if document[key] is None else date.fromisoformat(document[key]) for key in ("first", "until")}
    return Decision(**document | dates)


def _is_kept(one: Decision, today: date) -> bool:
    end = date.fromisoformat(one.at[:10]) if one.kind == "repaired" else one.until
    return end is None or end >= today - timedelta(days=_KEPT_DAYS)


def is_at(what: str, alarm: Alarm) -> bool:
    """True for a place or a subject of the alarm. A host's name is enough for a node description that begins with it."""
    if what in (alarm.subject, alarm.entry, alarm.place, alarm.key):
        return True
    there = placed("", "", alarm.place)
    return names_one(what, (*there.ports, *there.nodes, *alarm.nodes)) or is_link(what, there.ports)


def is_link(what: str, ports: Iterable[str]) -> bool:
    """True for the two ports of a link, in any order."""
    named = set(placed("", "", what).ports)
    return len(named) == 2 and named == set(ports)


def names_one(what: str, places: Iterable[str]) -> bool:
    """True if `what` is one of the nodes or ports, or a set of nodes (`node[01-16]`) that has one of them."""
    names = {what, *_nodes(what)}
    return any(place in names or host_name(place) in names for place in places)


def host_name(description: str) -> str:
    """Returns the host's name at the beginning of a node description, such as "node12" of "node12 mlx5_0"."""
    return description.split(" ", 1)[0]


@lru_cache(maxsize=1024)
def _nodes(what: str) -> frozenset[str]:
    """Nodes of a set; none for a text that is no set."""
    if not re.search(r"[\[,]", what):
        return frozenset()
    from tuner.documents.node_sets import expand  # slow to import

    try:
        return frozenset(expand(what))
    except ValueError:
        return frozenset()
