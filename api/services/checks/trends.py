# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The trend of each metric of a check, and what has changed since the last good night."""

from collections.abc import Mapping, Sequence
from typing import Any

from api.documents.checks import (
    CauseDocument,
    ChangedMetric,
    ChangesDocument,
    MetricTrend,
    NightValue,
    RemarkDocument,
    TrendBaseline,
)
from api.services.checks.documents import MOST_SHOWN, finding_document, gravest, of
from tuner.checks.acceptance import Found, found_changes
from tuner.checks.kind import KINDS
from tuner.checks.observation import Finding, MetricKind
from tuner.checks.run_check import options_digest
from tuner.checks.states import NOT_RUN, PASS
from tuner.checks.store.baseline import Baseline
from tuner.checks.store.night_run import NightRun
from tuner.checks.store.night_values import values_by_night
from tuner.documents.check import Check


def trends(check: Check, runs: Sequence[NightRun], baseline: Baseline | None) -> list[MetricTrend]:
    """Returns the trends of all metrics that have a value under the entries' present options. `check`: as it would be run."""
    found = {} if baseline is None else {one.name: one for one in found_changes(check, runs, baseline)}
    judged = runs[-1].judged if runs else {}
    trends = []
    for entry in check.kinds:
        digest = options_digest(check, entry)
        for metric in KINDS.get(entry.kind).metrics:
            values = values_by_night(runs, entry.entry, metric.name, digest)
            if values:
                name = f"{entry.entry}.{metric.name}"
                judgement = judged.get(name)
                trends.append(
                    of(
                        MetricTrend,
                        metric,
                        name=name,
                        entry=entry.entry,
                        metric=metric.name,
                        values=[NightValue(date=night, value=value) for night, value in sorted(values.items())],
                        baseline=_baseline(found.get(name)),
                        changed=judgement is not None and judgement.changed,
                        since=None if judgement is None else judgement.since,
                        evidence=None if judgement is None else judgement.evidence,
                    )
                )
    return trends


def changes(check: Check, runs: Sequence[NightRun]) -> ChangesDocument:
    """Returns what the last night shows that the last good night before it does not."""
    nights = {run.date: run for run in runs}
    if not nights:
        none: dict[str, Any] = dict.fromkeys(("night", "state", "headline", "good_night"))
        return ChangesDocument(**none, metrics=[], new_findings=[], gone_findings=[], not_run=[], causes=[])
    last = nights[max(nights)]
    good = max((night for night, run in nights.items() if run.state == PASS.name and night < last.date), default=None)
    before = [] if good is None else _findings(nights[good])
    now = _findings(last)
    kinds = _metric_kinds(check)
    return ChangesDocument(
        night=last.date,
        state=last.state,
        headline=last.headline,
        good_night=good,
        metrics=_changed(last, None if good is None else nights[good], kinds),
        new_findings=[finding_document(one) for one in gravest(_without(now, before))[:MOST_SHOWN]],
        gone_findings=[finding_document(one) for one in gravest(_without(before, now))[:MOST_SHOWN]],
        not_run=[of(RemarkDocument, one) for one in last.remarks if one.state == NOT_RUN.name],
        causes=[of(CauseDocument, one) for one in last.causes],
    )


def _changed(last: NightRun, good: NightRun | None, kinds: Mapping[str, MetricKind]) -> list[ChangedMetric]:
    changed = []
    for remark in last.remarks:
        kind = kinds.get(remark.subject)
        judgement = last.judged.get(remark.subject)
        if kind is not None and judgement is not None and judgement.changed:
            changed.append(
                ChangedMetric(
                    name=remark.subject,
                    unit=kind.unit,
                    better=kind.better,
                    state=remark.state,
                    sentence=remark.sentence,
                    since=judgement.since,
                    before=None if good is None else _value(good, remark.subject),
                    now=_value(last, remark.subject),
                )
            )
    return changed


def _findings(run: NightRun) -> list[Finding]:
    return [finding for entry in run.entries for finding in entry.findings]


def _without(findings: Sequence[Finding], others: Sequence[Finding]) -> list[Finding]:
    known = {(one.code, one.place) for one in others}
    return [one for one in findings if (one.code, one.place) not in known]


def _value(run: NightRun, name: str) -> float | None:
    entry, _, metric = name.partition(".")
    return next((one.values.get(metric) for one in run.entries if one.name == entry), None)


def _metric_kinds(check: Check) -> dict[str, MetricKind]:
    return {f"{entry.entry}.{metric.name}": metric for entry in check.kinds for metric in KINDS.get(entry.kind).metrics}


def _baseline(found: Found | None) -> TrendBaseline | None:
    if found is None:
        return None
    return TrendBaseline(middle=found.middle, found={str(count): value for count, value in found.values.items()})
