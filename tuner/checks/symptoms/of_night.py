# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The symptoms of a night: its findings, its metrics that are worse, and what its entries compared with the last good night."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from tuner.checks.alarm import alarm_key
from tuner.checks.impact.metrics import CANARIES, STATISTICS
from tuner.checks.likelihoods import SYMPTOMS
from tuner.checks.observation import Entry, Finding
from tuner.checks.states import STATES, WARN
from tuner.checks.symptoms.symptom import Symptom, placed
from tuner.checks.verdict import Verdict
from tuner.documents.check import Check

METRIC_SYMPTOMS: Mapping[str, str] = {
    "victim_throughput": "victims-worse",
    "contributor_total": "contributors-worse",
    "total_throughput": "contributors-worse",
    "treatment_variation": "unfair",
    "spread": "unfair",
    "jain_index": "unfair",
    "settle_time": "settling-slower",
    "tail_latency": "latency-worse",
    **{f"impact_{canary}_{statistic}": "impact-worse" for canary in CANARIES for statistic in STATISTICS},
}
"""Symptom of a metric that is worse."""
_HOST_CODES: Mapping[str, str] = {
    "host-not-throttling": "not-throttled",
    "host-stalled": "host-stalled",
    "host-path-slow": "host-path-slow",
    "host-link-flapping": "host-link-flapping",
}
"""Symptom of a fault of a host, where it is not "host-fault"."""


def symptoms_of(entries: Sequence[Entry], verdict: Verdict) -> list[Symptom]:
    found: list[Symptom] = []
    for entry in entries:
        found += [_of_finding(entry.name, finding, verdict) for finding in entry.observation.findings]
        found += entry.observation.symptoms or ()
    return [*found, *_of_metrics(entries, verdict)]


def looked_for(check: Check, entries: Sequence[Entry], verdict: Verdict) -> set[str]:
    """Returns the symptoms that would have been seen tonight if they were there."""
    kinds = {options.entry: options.kind for options in check.kinds}
    names = {METRIC_SYMPTOMS[name] for one in verdict.judgements if (name := one.partition(".")[2]) in METRIC_SYMPTOMS}
    for entry in entries:
        seen = entry.observation
        if seen.not_run is None:
            mine = {name: row for name, row in SYMPTOMS.items() if kinds[entry.name] in row.kinds and name not in seen.unseen}
            names |= {name for name, row in mine.items() if not (row.compared and seen.symptoms is None)}
    return names


def _of_finding(entry: str, finding: Finding, verdict: Verdict) -> Symptom:
    name = _HOST_CODES.get(finding.code, "host-fault") if finding.code.startswith("host-") else finding.code
    found = placed(
        name if name in SYMPTOMS else "other-fault",
        f"{finding.sentence} ({finding.evidence})" if finding.evidence else finding.sentence,
        finding.place,
        next_step=finding.next_step,
    )
    news = _news(verdict, alarm_key(entry, finding.code, finding.place))
    return replace(found, nodes=finding.nodes or found.nodes, news=news, weak=finding.severity == "warn")


def _news(verdict: Verdict, key: str) -> Literal["", "new", "known"]:
    alarm = verdict.alarms.get(key)
    return "" if alarm is None else "new" if alarm.is_new else "known"


def _of_metrics(entries: Sequence[Entry], verdict: Verdict) -> Iterator[Symptom]:
    worse = {remark.subject: remark.sentence for remark in verdict.remarks if STATES[remark.state].rank >= WARN.rank}
    for entry in entries:
        for metric, value in entry.observation.metrics:
            name = f"{entry.name}.{metric.name}"
            judged = verdict.judgements.get(name)
            if judged is None or judged.change is None or metric.name not in METRIC_SYMPTOMS or name not in worse:
                continue
            before, shift = judged.change.before.value, judged.change.shift.value
            if value is None or not metric.shows(value, before, shift):
                continue  # an alarm that only stands: what caused it is over
            if (shift > 0) != (metric.better == "more"):
                yield Symptom(name=METRIC_SYMPTOMS[metric.name], sentence=worse[name], news=_news(verdict, name))
