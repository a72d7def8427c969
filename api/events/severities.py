# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Severity of events, in one table.

An event is `info` if it needs nobody but the person who has just caused it and was told, `warning` if an operator should look at
it, and `error` if something failed or is lost. Events that no row names have no severity: they report progress, or repeat what
another event reports.

To add an event, add a row to `_ROWS` with the family of its topic (`fabric` for `fabric:NAME`), its kind and its severity. A kind
whose severity depends on the event's data has several rows with conditions; the first row that matches counts. `api.notifiers`
notifies of every event that has a severity;
`api/events/sentences.py` has the words.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from tuner.errors import BadInputError

Severity: TypeAlias = Literal["info", "warning", "error"]

SEVERITIES: tuple[Severity, ...] = ("info", "warning", "error")
"""From the least to the gravest."""

Condition: TypeAlias = Callable[[Mapping[str, Any]], bool]


@dataclass(frozen=True)
class Row:
    family: str
    """Part of the topic before the colon."""
    kind: str
    severity: Severity | None
    when: Condition | None = None
    """Condition on the event's data; None: always."""


def _has(**wanted: str | tuple[str, ...]) -> Condition:
    """Returns a condition: each key of the data has the value, or one of the values."""

    def holds(data: Mapping[str, Any]) -> bool:
        return all(data.get(key) in ((one,) if isinstance(one, str) else one) for key, one in wanted.items())

    return holds


_OF_A_PERSON = ("apply", "fabric_import", "promote", "rollback")
"""Kinds of jobs that begin with what a person has just typed or chosen, and who is shown the answer."""


def _is_askers(data: Mapping[str, Any]) -> bool:
    """Says whether a failure is about what the person asked for, such as a paste that is no fabric, or a trial run of a profile
    that does not fit: nothing has changed, and nobody else can act."""
    kind = data.get("action") or data.get("kind")
    return kind in _OF_A_PERSON and data.get("exit_code") == BadInputError.exit_code


_REPORT_THEMSELVES = (
    "apply",
    "ask_devices",
    "clear_foreign",
    "restore",
    "verify",
    "promote",
    "rollback",
    "campaign",
    "check",
    "check_answer",
)
"""Kinds of jobs whose failures are events of a fabric or a check."""


_ROWS = (
    # Nightly checks.
    Row("checks", "check.missed", "warning"),
    Row("checks", "check.night", "error", _has(state="failed")),
    Row("checks", "check.night", "info", lambda data: data.get("state") == "done" and data.get("known") is True),  # it was told
    Row("checks", "check.night", "error", _has(state="done", verdict="fail")),
    Row("checks", "check.night", "warning", _has(state="done", verdict=("warn", "could not be run"))),
    Row("checks", "check.night", "info", _has(state=("done", "cancelled"))),
    Row("checks", "check.answer", "error", _has(state="failed")),
    Row("checks", "check.answer", "warning", _has(state="done")),  # a profile was applied without a person
    Row("checks", "check.answer", "info", _has(state="undone")),
    Row("checks", "check.changed", "info"),
    # Fabrics: actions of people and jobs.
    Row("fabric", "created", "info"),
    Row("fabric", "changed", "info"),
    Row("fabric", "deleted", "info"),
    Row("fabric", "inventory", "info"),
    Row("fabric", "hosts", "info", _has(action="checked")),
    Row("fabric", "state", None, _has(action="check_answer")),  # check.answer reports it
    Row("fabric", "state", "info", lambda data: data.get("outcome") == "failed" and _is_askers(data)),
    Row("fabric", "state", "error", _has(outcome="failed")),
    Row("fabric", "state", "warning", _has(outcome="died")),
    Row("fabric", "state", "warning", lambda data: bool(data.get("drifted"))),
    Row("fabric", "state", "info"),
    Row("fabric", "promotion", "warning", _has(state="pending")),  # it waits for a second person
    Row("fabric", "promotion", "warning", _has(state="outdated")),  # it waits to be asked for again
    Row("fabric", "promotion", "info", _has(state="rejected")),  # its end is a `state` of the fabric
    Row("fabric", "campaign", "error", _has(state="failed")),
    Row("fabric", "campaign", "info", _has(state=("finished", "stopped", "paused"))),
    # Fabrics: devices, links and subnet managers.
    Row("fabric", "device.lost", "error", _has(kind="switch")),
    Row("fabric", "device.lost", "warning"),
    Row("fabric", "device.back", "info"),
    Row("fabric", "device.drifted", "warning"),
    Row("fabric", "device.repaired", "info"),
    Row("fabric", "link.down", "warning"),
    Row("fabric", "link.up", "info"),
    Row("fabric", "link.changed", "warning"),
    Row("fabric", "device.flapping", "error", _has(kind="switch")),
    Row("fabric", "device.flapping", "warning"),
    Row("fabric", "device.steady", "info"),
    Row("fabric", "link.flapping", "warning"),
    Row("fabric", "link.steady", "info"),
    Row("fabric", "device.new", "info"),
    Row("fabric", "device.timing-out", "warning"),
    Row("fabric", "device.responding", "info"),
    Row("fabric", "device.not-ready", "warning"),
    Row("fabric", "device.ready", "info"),
    Row("fabric", "sm.changed", "info", _has(to="master")),
    Row("fabric", "sm.changed", "warning"),
    Row("fabric", "sm.others", "info"),
    Row("fabric", "fabric.unreachable", "error"),
    Row("fabric", "fabric.reachable", "info"),
    # Jobs.
    Row("jobs", "job", None, _has(kind=_REPORT_THEMSELVES)),
    Row("jobs", "job", "info", lambda data: data.get("state") == "failed" and _is_askers(data)),
    Row("jobs", "job", "error", _has(state="failed")),
    # Tests of the notifier's addresses.
    Row("notify", "test", "info"),
)


def _by_kind(rows: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((row.family, row.kind), []).append(row)
    return found


_TABLE = _by_kind(_ROWS)


def severity_of(topic: str, kind: str, data: Mapping[str, Any]) -> Severity | None:
    """Returns the severity of an event of `topic`, as `fabric:NAME`; None: it has none."""
    rows = _TABLE.get((topic.partition(":")[0], kind), ())
    return next((row.severity for row in rows if row.when is None or row.when(data)), None)


def is_at_least(severity: Severity, minimum: Severity) -> bool:
    """Says whether `severity` is `minimum` or graver."""
    return SEVERITIES.index(severity) >= SEVERITIES.index(minimum)
