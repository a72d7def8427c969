# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The kinds of checks by name, and what each of them can do."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, TypeAlias

from tuner.checks.expected import NOTHING, Expected
from tuner.checks.hosts.need import HostNeed
from tuner.checks.hosts.tonight import TonightHosts
from tuner.checks.observation import MetricKind, Observation
from tuner.documents.check_kinds import KindOptions
from tuner.registry import Registry

OnDetail: TypeAlias = Callable[[str, Mapping[str, Any]], None]
"""Takes what an entry has found that a service keeps beside the night: its name and a JSON document."""


@dataclass(frozen=True)
class GoodRecord:
    """The record of a night, as the kind's Observation had it. `accepted`: a person has accepted that night."""

    night: date
    record: Mapping[str, Any]
    accepted: bool = False


@dataclass(frozen=True, kw_only=True)
class Night:
    """The night, as a kind needs it. `owner`: who measures, for others that find the fabric taken. `good`: what the
    entry recorded in its last good night; None if there is none. `latest`: the same of its last run, good or not. `hosts`: those
    that the entry may use; None for an entry that needs none. `repetition`: counts the measurements of the night, from 0.
    `expected`: what may be gone or moved. `on_detail`: told what is kept beside the night."""

    fabric: str
    date: date
    owner: str = "ibcc check"
    on_progress: Callable[[float], None] = lambda fraction: None
    on_detail: OnDetail = lambda name, document: None
    good: GoodRecord | None = None
    latest: GoodRecord | None = None
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    hosts: TonightHosts | None = None
    repetition: int = 0
    expected: Expected = NOTHING

    @property
    def seed(self) -> int:
        """The date as a number, such as 20260131, behind the number of the repetition: a night that is run again has the same
        random numbers."""
        return self.repetition * 100_000_000 + self.date.year * 10_000 + self.date.month * 100 + self.date.day


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A way to observe a fabric.

    `plan` says in a sentence what `observe` would do, and touches nothing. `observe` leaves the profile in the fabric that it
    found; it returns an Observation, also when it could not be run, and may raise IbccError, RpcError and OSError, which count as
    "could not be run".

    `hosts` says what an entry needs of hosts; None: nothing. It reads documents and reaches no host; `observe` finds the hosts in
    `night.hosts` then. If there are none, the entry could not be run, and `observe` is not called.
    """

    options: type[KindOptions]
    metrics: tuple[MetricKind, ...]
    """All that `observe` may return, in its order."""
    plan: Callable[[Any, Night], str]
    observe: Callable[[Any, Night], Observation]
    hosts: Callable[[Any, Night], HostNeed | None] = lambda options, night: None
    is_structure: bool = False
    """True for one that compares what is there with what was there: a fabric that a person adopts takes the place of the last
    good night."""


KINDS: Registry[Kind] = Registry("kind of check", "tuner.checks.kinds")


def has_normals(kinds: Iterable[str]) -> bool:
    """True if a metric of these kinds is compared with a baseline; all of `tables` are counts, and have none."""
    return any(metric.assumptions is not None for kind in kinds for metric in KINDS.get(kind).metrics)
