# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A check's outcome for Prometheus, in its text format, for the textfile collector of node_exporter."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from tuner.checks.states import STATES
from tuner.checks.store.night_run import NightRun

MOST_PLACES = 200
"""Alarms that have a series each, those that fail first."""


def prometheus_text(run: NightRun) -> str:
    return "".join(f"{line}\n" for name, told, samples in _gauges(run) for line in _lines(run, name, told, samples))


def _lines(run: NightRun, name: str, told: str, samples: Iterable[tuple[str, object]]) -> Iterator[str]:
    """`samples`: labels beside that of the check, and the value of each."""
    yield f"# HELP {name} {told}"
    yield f"# TYPE {name} gauge"
    for labels, value in samples:
        yield f'{name}{{check="{_escaped(run.check)}"{labels and f",{labels}"}}} {value}'


def _gauges(run: NightRun) -> Iterator[tuple[str, str, Iterable[tuple[str, object]]]]:
    states = [(f'state="{name}"', int(name == run.state)) for name in STATES]
    yield "ibcc_check_state", "State of the last run: 1 for the one that it is in.", states
    ended = f"{datetime.fromisoformat(run.ended).timestamp():.0f}"
    yield "ibcc_check_ended_seconds", "End of the last run, in seconds since 1970.", [("", ended)]
    values = [
        (f'metric="{entry.name}.{name}",unit="{_escaped(entry.units[name])}"', repr(value))
        for entry in run.entries
        for name, value in entry.values.items()
        if value is not None
    ]
    yield "ibcc_check_value", "Value of a metric in the last run.", values
    changed = [(f'metric="{name}"', int(one.changed)) for name, one in run.judged.items()]
    yield "ibcc_check_alarm", "1 for a metric that has changed since the baseline, 0 for one that has not.", changed
    counts = [(f'is="{key}"', count) for key, count in vars(run.counts).items()]
    yield "ibcc_check_alarms", "Number of alarms: new in the last run, known before it, or muted.", counts
    about_places = "Alarms by place: 1 for one that fails the check, 0 for a warning and for one that is muted."
    yield "ibcc_check_place", about_places, _places(run)
    yield "ibcc_check_causes", "Number of likely causes that the last run named.", [("", len(run.causes))]
    about_evidence = "Evidence that a metric has changed since the baseline; the alarm is at 0."
    yield "ibcc_check_evidence", about_evidence, [(f'metric="{name}"', _number(one.evidence)) for name, one in run.judged.items()]


def _places(run: NightRun) -> Iterator[tuple[str, int]]:
    shown = sorted(
        (one for one in run.alarms or () if one.state in ("open", "muted")),
        key=lambda one: (one.severity, not one.is_new, one.key),
    )
    for alarm in shown[:MOST_PLACES]:
        what = "muted" if alarm.is_muted else "new" if alarm.is_new else "known"
        labels = f'entry="{alarm.entry}",code="{_escaped(alarm.code)}",place="{_escaped(alarm.place)}",is="{what}"'
        yield labels, int(alarm.severity == "fail" and what != "muted")


def _number(value: float | None) -> str:
    return "-Inf" if value is None else repr(value)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
