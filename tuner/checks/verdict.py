# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The verdict on a night: its alarms, of findings and of metrics that have changed since the baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from tuner.check_statistics.judgement import Judgement
from tuner.checks import recovery
from tuner.checks.alarm import CHANGED, Alarm, Sighting, Signal
from tuner.checks.alarms import alarms_before, left_by, next_alarms
from tuner.checks.decisions import UNSAID, Decision, Decisions, is_at
from tuner.checks.judged_metrics import JudgedMetrics, judged_metrics
from tuner.checks.kind import has_normals
from tuner.checks.observation import Entry, Finding
from tuner.checks.remarks import of_alarm, told
from tuner.checks.states import NOT_RUN, PASS, State
from tuner.checks.store.baseline import Baseline
from tuner.checks.store.night_run import NightRun, Remark
from tuner.checks.symptoms.symptom import placed
from tuner.documents.check import Check

_EARLIER = "earlier in this night"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """`headline`: one line. `learning`: how far the baseline is, if there is none. `alarms`: by their keys, as the night leaves
    them."""

    state: State
    headline: str
    remarks: tuple[Remark, ...]
    judgements: Mapping[str, Judgement]
    learning: str | None = None
    alarms: Mapping[str, Alarm] = field(default_factory=dict)


def verdict(
    check: Check,
    entries: Sequence[Entry],
    runs: Sequence[NightRun],
    baseline: Baseline | None,
    night: date,
    decisions: Decisions = UNSAID,
) -> Verdict:
    """`runs`: those of the history, by date and number, without tonight's. `decisions`: what people have said. Takes up to a
    second of CPU a hundred nights."""
    before, after_run = alarms_before(runs, night)
    found = [_sighting(entry.name, finding) for entry in entries for finding in entry.observation.findings]
    sightings = {one.key: one for one in reversed(found)}
    signals: dict[str, Signal] = {}
    remarks = [
        Remark(subject=entry_run.name, state=NOT_RUN.name, sentence=entry_run.observation.not_run)
        for entry_run in entries
        if entry_run.observation.not_run is not None
    ]
    learning, judged = None, JudgedMetrics()
    if not has_normals([one.kind for one in check.kinds]):
        pass  # its findings say all
    elif baseline is None:
        tonight = {night} if any(entry.observation.is_learnt for entry in entries) else set[date]()
        learning = _learning(check, _comparable_nights(entries, runs) | tonight)
    elif night <= baseline.whole.nights[-1]:
        remarks.append(Remark(subject=check.name, state=PASS.name, sentence=_within(baseline.whole, night)))
    else:
        judged = judged_metrics(check, entries, runs, baseline, night, decisions)
        remarks += judged.remarks
        last = next((run for run in reversed(runs) if run.date < night), None)
        accepted = last is not None and last.baseline != baseline.key
        for key, alarm in before.items():
            if alarm.code == CHANGED:
                signals[key] = "enough" if accepted or key not in judged.judgements else judged.signal(alarm)
        sightings |= judged.sightings(before, accepted=accepted)
    _add_earlier(sightings, runs, night, decisions, with_metrics=baseline is not None and night > baseline.whole.nights[-1])
    plans = decisions.planned(night)
    for key, alarm in before.items():
        signals.setdefault(key, "enough" if alarm.code == CHANGED else signal_of_unseen(alarm, entries, plans))
    names = {entry.name for entry in entries}
    before = {key: alarm for key, alarm in before.items() if alarm.entry in names}
    alarms = next_alarms(before, sightings, signals, decisions, night, after_run)
    alarms |= {key: replace(alarm, sentence=judged.sentences[key]) for key, alarm in alarms.items() if _is_over(alarm, judged)}
    not_run = {one.name for one in entries if one.observation.not_run is not None}
    remarks += [remark for alarm in alarms.values() for remark in of_alarm(alarm, night, not_run)]
    standing = {key for key, alarm in alarms.items() if alarm.state != "closed"}
    judgements = {name: replace(one, changed=one.changed or name in standing) for name, one in judged.judgements.items()}
    said = told(remarks, kinds=[one.kind for one in check.kinds], learning=learning, judged=len(judgements))
    return Verdict(
        state=said.state,
        headline=said.headline,
        remarks=said.remarks,
        judgements=judgements,
        learning=learning,
        alarms=alarms,
    )


def _sighting(entry: str, finding: Finding) -> Sighting:
    return Sighting(
        subject=entry,
        code=finding.code,
        place=finding.place,
        severity=finding.severity,
        sentence=finding.sentence,
        nodes=finding.nodes,
        level=finding.level,
    )


def _add_earlier(
    sightings: dict[str, Sighting], runs: Sequence[NightRun], night: date, decisions: Decisions, *, with_metrics: bool
) -> None:
    """Adds what earlier runs of the same night have seen, and this one has not, and findings that were worse then: a check that
    repairs what it finds, or is run once more, does not hide them. What a person has repaired since then is not seen."""
    for run in sorted((one for one in runs if one.date == night), key=lambda one: -one.number):
        for alarm in left_by(run):
            is_metric, now = alarm.code == CHANGED, sightings.get(alarm.key)
            is_hidden = now is None or (not is_metric and (alarm.severity, now.severity) == ("fail", "warn"))
            is_mine = alarm.seen == night and alarm.state != "closed" and (with_metrics or not is_metric)
            if is_hidden and is_mine and decisions.repaired(alarm, run.number) is None:
                when = "" if _EARLIER in alarm.sentence else f" (in run {run.number}, {_EARLIER})"
                sightings[alarm.key] = Sighting(
                    subject=alarm.subject,
                    code=alarm.code,
                    place=alarm.place,
                    severity=alarm.severity,
                    sentence=f"{alarm.sentence}{when}",
                    nodes=alarm.nodes,
                    level=alarm.level,
                    since=alarm.opened,
                )


def signal_of_unseen(alarm: Alarm, entries: Sequence[Entry], plans: Sequence[Decision]) -> Signal:
    """The signal of a finding's alarm that tonight does not show. A plan closes it, so that it is news after the plan."""
    seen = next((one.observation for one in entries if one.name == alarm.entry), None)
    if seen is None or seen.not_run is not None:
        return "unmeasured"
    at = placed("", "", alarm.place)
    if seen.measured is not None and not seen.measured & {*at.nodes, *at.ports, *alarm.nodes}:
        return "unmeasured"
    is_planned = any(is_at(plan.what, alarm) for plan in plans)
    return "enough" if is_planned or alarm.absent + 1 >= recovery.NIGHTS else "absent"


def _is_over(alarm: Alarm, judged: JudgedMetrics) -> bool:
    """True for a metric's alarm whose sentence must say that tonight is as before."""
    return alarm.state == "waiting" and alarm.key in judged.sentences


def _comparable_nights(entries: Sequence[Entry], runs: Sequence[NightRun]) -> set[date]:
    """Nights from which a baseline could learn one of tonight's entries, with tonight's options, and so on tonight's fabric."""
    asked = {(entry.name, entry.options) for entry in entries}
    learnt = (run for run in runs if any(one.is_learnt and (one.name, one.options) in asked for one in run.entries))
    return {run.date for run in learnt}


def _learning(check: Check, nights: set[date]) -> str:
    if len(nights) < check.learn_nights:
        return f"learning: {len(nights)} of {check.learn_nights} nights"
    accept = f"`ibcc check accept {check.name} --last {check.learn_nights}`"
    return f"learning: {len(nights)} nights; {accept} accepts them as the baseline"


def _within(baseline: Baseline, night: date) -> str:
    return f"the night of {night} is not after the baseline, which ends with {baseline.nights[-1]}; its metrics are not judged"
