# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The report of a night as a document: its verdict and causes, the nights until then, and the metrics with their baselines.

It comes from what the history has stored, so that it can be made at any time later.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from typing import Any

from tuner.checks.kind import KINDS
from tuner.checks.observation import MetricKind
from tuner.checks.states import STATES
from tuner.checks.store.baseline import Baseline
from tuner.checks.store.night_run import EntryRun, NightRun
from tuner.checks.store.night_values import accepted_runs, values_by_night
from tuner.errors import BadInputError

SCHEMA = 1
MISSED = "missed"
"""State of a night without a run."""
MOST_NIGHTS = 400
MOST_ALIKE = 10
"""Remarks and alarms of one kind that people are told one by one; JSON has all."""
_VERBS = {"pass": "passes", "warn": "has a warning", "fail": "fails", "could not be run": "could not be checked"}


def night_report(runs: Sequence[NightRun], baseline: Baseline | None, night: date | None = None) -> dict[str, Any]:
    """`runs`: those of the history, by date and number. `night`: the last one without it; of several runs the last one counts.

    Raises BadInputError if there is no such night.
    """
    run = run_of_night(runs, night)
    by_date = {one.date: one for one in runs if one.date <= run.date}
    until = [one for one in runs if one.date <= run.date]
    return {
        "ibcc_check_report": SCHEMA,
        "check": run.check,
        "date": run.date.isoformat(),
        "number": run.number or None,
        "started": run.started,
        "ended": run.ended,
        "state": run.state,
        "headline": run.headline,
        "summary": summary_of(run),
        "alarms": [asdict(one) | {"opened": one.opened.isoformat(), "seen": one.seen.isoformat()} for one in run.alarms or ()],
        "last_good": _last_good(by_date, run.date),
        "baseline": None if baseline is None else _baseline(baseline),
        "remarks": [asdict(one) for one in run.remarks],
        "causes": [asdict(one) for one in run.causes],
        "entries": [
            {
                "name": entry_run.name,
                "kind": entry_run.kind,
                "not_run": entry_run.not_run,
                "facts": list(entry_run.facts),
                "findings": [asdict(finding) for finding in entry_run.findings],
            }
            for entry_run in run.entries
        ],
        "metrics": [
            _metric(entry, name, run, until, baseline) for entry in run.entries if entry.not_run is None for name in entry.values
        ],
        "nights": nights_with_missed(by_date, baseline)[-MOST_NIGHTS:],
    }


def run_of_night(runs: Sequence[NightRun], night: date | None = None) -> NightRun:
    """The run that counts of a night, of the last one without it. Raises BadInputError if there is no such night."""
    by_date = {run.date: run for run in runs if night is None or run.date <= night}
    if not by_date or night not in (None, *by_date):
        known = f"; the last one is of {max(by_date)}" if by_date else ""
        which = "no night" if night is None else f"no run of the night of {night}"
        raise BadInputError(f"the history has {which}{known}")
    return by_date[max(by_date)]


def summary_of(run: NightRun) -> str:
    """One sentence about the fabric, for the beginning of a mail."""
    counts = f": {run.counts.text}" if run.counts.text else ""
    fabric = f"Fabric {run.fabric}" if run.fabric else f"The fabric of check {run.check}"
    return f"{fabric} {_VERBS[run.state]} in the night of {run.date}{counts}."


def other_remarks(headline: str, remarks: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Returns the states and texts of the remarks that the headline does not have. Those that say the same of several entries are
    one. Of one kind and state MOST_ALIKE are told, and how many more there are; what is new comes before what is known."""
    subjects: dict[tuple[str, str, str, str], list[str]] = {}
    for remark in remarks:
        if not headline.startswith(remark["sentence"]):
            since = remark.get("since")
            known = "" if since is None or since in remark["sentence"] else f" (known since {since})"
            subjects.setdefault((remark["state"], remark["sentence"], known, remark.get("code", "")), []).append(
                remark["subject"]
            )
    alike = Counter[tuple[str, str]]()
    told = []
    for (state, sentence, known, code), names in subjects.items():
        alike[state, code] += 1
        if not code or alike[state, code] <= MOST_ALIKE:
            told.append((state, (sentence if sentence.startswith(names[0]) else f"{', '.join(names)}: {sentence}") + known))
    more = [
        (state, f"{count - MOST_ALIKE} more of the kind '{code}'")
        for (state, code), count in alike.items()
        if code and count > MOST_ALIKE
    ]
    return sorted([*told, *more], key=lambda one: -STATES[one[0]].rank)


def nights_with_missed(by_date: Mapping[date, NightRun], baseline: Baseline | None) -> list[dict[str, Any]]:
    """Returns all nights from the first to the last one, also those without a run."""
    accepted = set[date]() if baseline is None else set(baseline.whole.nights)
    rows = []
    for day in range(min(by_date).toordinal(), max(by_date).toordinal() + 1):
        night = date.fromordinal(day)
        run = by_date.get(night)
        state, headline = (MISSED, "") if run is None else (run.state, run.headline)
        rows.append({"date": night.isoformat(), "state": state, "headline": headline, "baseline": night in accepted})
    return rows


def _last_good(by_date: Mapping[date, NightRun], night: date) -> str | None:
    good = [one for one, run in by_date.items() if one < night and run.state == "pass"]
    return max(good).isoformat() if good else None


def _baseline(baseline: Baseline) -> dict[str, Any]:
    nights = [night.isoformat() for night in baseline.nights]
    return {"first": nights[0], "last": nights[-1], "nights": len(nights), "by": baseline.by, "at": baseline.at}


def _metric(entry: EntryRun, name: str, run: NightRun, until: Sequence[NightRun], baseline: Baseline | None) -> dict[str, Any]:
    """`low`, `middle`, `high`: of the baseline's nights; `limit`: the value that is worse by the least effect."""
    full, kind = f"{entry.name}.{name}", _kind_of(entry.kind, name)
    judged = run.judged.get(full)
    accepted = [] if baseline is None else accepted_runs(until, baseline.of(full))
    before = sorted(values_by_night(accepted, entry.name, name, entry.options).values())
    middle = None if not before else before[len(before) // 2]
    return {
        "name": full,
        "unit": entry.units[name],
        "value": entry.values[name],
        "better": None if kind is None else kind.better,
        "low": before[0] if before else None,
        "middle": middle,
        "high": before[-1] if before else None,
        "limit": None if kind is None or middle is None else _limit(kind, middle),
        "changed": None if judged is None else judged.changed,
        "since": None if judged is None or judged.since is None else judged.since.isoformat(),
        "values": [
            [earlier.isoformat(), value]
            for earlier, value in sorted(values_by_night(until, entry.name, name, entry.options).items())
        ],
    }


def _kind_of(kind: str, metric: str) -> MetricKind | None:
    """Returns None for a metric that this version of ibcc does not have."""
    known = KINDS.get(kind).metrics if kind in KINDS.names() else ()
    return next((one for one in known if one.name == metric), None)


def _limit(kind: MetricKind, middle: float) -> float:
    return middle - kind.least(middle) if kind.better == "more" else middle + kind.least(middle)
