# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A check's outcome for Prometheus, in its text format, for the textfile collector of node_exporter."""

from collections.abc import Iterator
from datetime import datetime

from tuner.checks.states import STATES
from tuner.checks.store.night_run import NightRun

MOST_PLACES = 200
"""Alarms that have a series each, those that fail first."""


def prometheus_text(run: NightRun) -> str:
    return "".join(f"{line}\n" for line in _lines(run))


def _lines(run: NightRun) -> Iterator[str]:
    check = f'check="{_escaped(run.check)}"'
    yield "# HELP ibcc_check_state State of the last run: 1 for the one that it is in."
    yield "# TYPE ibcc_check_state gauge"
    for name in STATES:
        yield f'ibcc_check_state{{{check},state="{name}"}} {int(name == run.state)}'
    yield "# HELP ibcc_check_ended_seconds End of the last run, in seconds since 1970."
    yield "# TYPE ibcc_check_ended_seconds gauge"
    yield f"ibcc_check_ended_seconds{{{check}}} {datetime.fromisoformat(run.ended).timestamp():.0f}"
    yield "# HELP ibcc_check_value Value of a metric in the last run."
    yield "# TYPE ibcc_check_value gauge"
    for entry in run.entries:
        for name, value in entry.values.items():
            if value is not None:
                unit = _escaped(entry.units[name])
                yield f'ibcc_check_value{{{check},metric="{entry.name}.{name}",unit="{unit}"}} {value!r}'
    yield "# HELP ibcc_check_alarm 1 for a metric that has changed since the baseline, 0 for one that has not."
    yield "# TYPE ibcc_check_alarm gauge"
    for name, one in run.judged.items():
        yield f'ibcc_check_alarm{{{check},metric="{name}"}} {int(one.changed)}'
    yield from _alarms(run, check)
    yield "# HELP ibcc_check_causes Number of likely causes that the last run named."
    yield "# TYPE ibcc_check_causes gauge"
    yield f"ibcc_check_causes{{{check}}} {len(run.causes)}"
    yield "# HELP ibcc_check_evidence Evidence that a metric has changed since the baseline; the alarm is at 0."
    yield "# TYPE ibcc_check_evidence gauge"
    for name, one in run.judged.items():
        yield f'ibcc_check_evidence{{{check},metric="{name}"}} {_number(one.evidence)}'


def _alarms(run: NightRun, check: str) -> Iterator[str]:
    yield "# HELP ibcc_check_alarms Number of alarms: new in the last run, known before it, or muted."
    yield "# TYPE ibcc_check_alarms gauge"
    for key, count in vars(run.counts).items():
        yield f'ibcc_check_alarms{{{check},is="{key}"}} {count}'
    yield "# HELP ibcc_check_place Alarms by place: 1 for one that fails the check, 0 for a warning and for one that is muted."
    yield "# TYPE ibcc_check_place gauge"
    shown = sorted(
        (one for one in run.alarms or () if one.state in ("open", "muted")),
        key=lambda one: (one.severity, not one.is_new, one.key),
    )
    for place_count in shown[:MOST_PLACES]:
        what = "muted" if place_count.is_muted else "new" if place_count.is_new else "known"
        labels = (
            f'entry="{place_count.entry}",code="{_escaped(place_count.code)}",place="{_escaped(place_count.place)}",is="{what}"'
        )
        yield f"ibcc_check_place{{{check},{labels}}} {int(place_count.severity == 'fail' and what != 'muted')}"


def _number(value: float | None) -> str:
    return "-Inf" if value is None else repr(value)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
