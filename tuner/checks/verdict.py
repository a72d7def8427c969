# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The verdict on a night: its findings, and which metrics have changed since the baseline."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from statistics import median

from tuner.check_statistics.judgement import Change, Judgement
from tuner.check_statistics.series import LEAST_BASELINE, Series
from tuner.checks import recovery
from tuner.checks.kind import KINDS
from tuner.checks.observation import Finding, MetricKind, Observation
from tuner.checks.repetition import judged_as
from tuner.checks.states import FAIL, NOT_RUN, PASS, STATES, WARN, State, worst
from tuner.checks.store.baseline import Baseline
from tuner.checks.store.night_run import NightRun, StoredJudgement
from tuner.checks.store.night_values import accepted_runs, series_of, values_by_night
from tuner.documents.check import Check

_EXPECTED = 3
"""Nights under a profile that tell what is expected of it, as long as none is accepted."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An entry of the check as it was observed tonight. `options`: the digest of its options."""

    name: str
    options: str
    observation: Observation


@dataclass(frozen=True, kw_only=True)
class Remark:
    """A sentence about an entry, a finding or a metric, with the state that it puts the check in. `subject`: `entry` or
    `entry.metric`. `since`: the first of the nights in a row that had it before; None for what is new tonight."""

    subject: str
    state: State
    sentence: str
    since: date | None = None


@dataclass(frozen=True, kw_only=True)
class Alarm:
    """`since`: the first changed night."""

    since: date
    remark: Remark


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """`headline`: one line. `learning`: how far the baseline is, if there is none. `standing`: alarms of earlier nights that the
    history no longer has; they are among `judgements` too. `alarms`: of each metric that has changed."""

    state: State
    headline: str
    remarks: tuple[Remark, ...]
    judgements: Mapping[str, Judgement]
    learning: str | None = None
    standing: Mapping[str, StoredJudgement] = field(default_factory=dict)
    alarms: Mapping[str, Alarm] = field(default_factory=dict)


def verdict(check: Check, entries: Sequence[Entry], runs: Sequence[NightRun], baseline: Baseline | None, night: date) -> Verdict:
    """`runs`: those of the history, by date and number, without tonight's. Takes up to a second of CPU a hundred nights."""
    remarks = [
        remark for entry in entries for remark in (*_without_baseline(entry, runs, night), *_of_earlier_runs(entry, runs, night))
    ]
    learning, judgements, standing, alarms = None, dict[str, Judgement](), dict[str, StoredJudgement](), dict[str, Alarm]()
    if not has_normals(check):
        pass  # its findings say all
    elif baseline is None:
        tonight = {night} if any(entry.observation.not_run is None for entry in entries) else set[date]()
        learning = _learning(check, _comparable_nights(entries, runs) | tonight)
    elif night <= baseline.nights[-1]:
        remarks.append(Remark(subject=check.name, state=PASS, sentence=_within(baseline, night)))
    else:
        more, judgements, standing, alarms = _with_baseline(check, entries, runs, baseline, night)
        remarks += [*more, *(alarm.remark for alarm in alarms.values())]
    state = worst(remark.state for remark in remarks)
    remarks = [replace(one, since=None if one.since == night else one.since) for one in remarks]
    remarks.sort(key=lambda remark: (-remark.state.rank, remark.since is not None))  # what is new comes first
    return Verdict(
        state=state,
        headline=_headline(check, state, remarks, learning, judgements),
        remarks=tuple(remarks),
        judgements=judgements,
        learning=learning,
        standing=standing,
        alarms=alarms,
    )


def has_normals(check: Check) -> bool:
    """True if a metric of the check is compared with a baseline; all of `tables` are counts, and have none."""
    return any(metric.assumptions is not None for one in check.kinds for metric in KINDS.get(one.kind).metrics)


def _without_baseline(entry: Entry, runs: Sequence[NightRun], night: date) -> list[Remark]:
    if entry.observation.not_run is not None:
        return [Remark(subject=entry.name, state=NOT_RUN, sentence=entry.observation.not_run)]
    before = _findings_before(entry, runs, night) if entry.observation.findings else []
    return [_of_finding(entry, finding, since=_since(finding, before)) for finding in entry.observation.findings]


def _findings_before(entry: Entry, runs: Sequence[NightRun], night: date) -> list[tuple[date, set[tuple[str, str]]]]:
    """Returns code and place of the findings of each earlier night in which the entry was observed; the last night first."""
    found: dict[date, set[tuple[str, str]]] = {}
    for run in runs:
        for one in run.entries:
            if run.date < night and (one.name, one.options, one.not_run) == (entry.name, entry.options, None):
                found.setdefault(run.date, set()).update((finding.code, finding.place) for finding in one.findings)
    return sorted(found.items(), reverse=True)


def _since(finding: Finding, before: Sequence[tuple[date, set[tuple[str, str]]]]) -> date | None:
    since = None
    for night, found in before:
        if (finding.code, finding.place) not in found:
            break
        since = night
    return since


def _of_finding(entry: Entry, finding: Finding, when: str = "", since: date | None = None) -> Remark:
    state = FAIL if finding.severity == "fail" else WARN
    return Remark(subject=entry.name, state=state, sentence=f"{finding.sentence}{when}", since=since)


def _of_earlier_runs(entry: Entry, runs: Sequence[NightRun], night: date) -> Iterator[Remark]:
    """Findings of the same night that are not there any more: a check that repairs what it finds, or is run once more, does not
    hide them."""
    told = {(finding.code, finding.place) for finding in entry.observation.findings}
    for run in sorted((one for one in runs if one.date == night), key=lambda one: -one.number):
        for finding in (found for one in run.entries if one.name == entry.name for found in one.findings):
            if (finding.code, finding.place) not in told:
                told.add((finding.code, finding.place))
                yield _of_finding(entry, finding, f" (in run {run.number}, earlier in this night)")


def _with_baseline(
    check: Check, entries: Sequence[Entry], runs: Sequence[NightRun], baseline: Baseline, night: date
) -> tuple[list[Remark], dict[str, Judgement], dict[str, StoredJudgement], dict[str, Alarm]]:
    remarks: list[Remark] = []
    series: dict[str, Series] = {}
    metrics: dict[str, MetricKind] = {}
    firsts: dict[str, date] = {}
    for entry in entries:
        regime = _regime(entry, runs)
        under = _baseline_under(regime, entry, runs, baseline)
        if under is None:
            remarks.append(_other_profile(check, entry, runs, night, regime))
            remarks += _unlike_first(entry, runs, night, regime)
            continue
        accepted = accepted_runs(runs, under)
        later = [run for run in runs if under.nights[-1] < run.date <= night]
        for metric, value in _judged_metrics(entry, check):
            if metric.assumptions is None:
                continue
            name = f"{entry.name}.{metric.name}"
            before = values_by_night(accepted, entry.name, metric.name, entry.options, regime)
            since = values_by_night(later, entry.name, metric.name, entry.options, regime)
            since.pop(night, None)
            if value is not None:
                since[night] = value
            if len(before) >= LEAST_BASELINE:  # an entry that is not run tonight keeps its alarms
                series[name] = series_of(before, since, under, night, metric, check.follow)
                metrics[name], firsts[name] = metric, under.nights[-1] + timedelta(days=1)
        remarks += _not_comparable(entry, accepted, series)
        remarks += _gone(entry, accepted)
    found = recovery.judged(series, metrics, alarm_probability=check.alarm_probability)
    judgements = dict(found.judgements)
    remarks += [_ended(name) for name, index in found.ended_on.items() if index == len(series[name].nights) - 1]
    stored = _stored_alarms(entries, judgements, runs, baseline, night)
    alarms, standing = dict[str, Alarm](), dict[str, StoredJudgement]()
    for name, one in judgements.items():
        kept, first = stored.get(name), firsts[name]
        if one.change is not None:
            begun = first + timedelta(days=one.change.since)
            if kept is not None and kept.since is not None:
                begun = min(begun, kept.since)  # the night that it began in may be removed
            remark = _changed(name, metrics[name], one, one.change, begun, series[name].nights[-1])
            raised_tonight = one.alarmed_on == len(series[name].nights) - 1
            alarms[name] = Alarm(since=begun, remark=remark if raised_tonight else replace(remark, since=begun))
        elif kept is not None:
            standing[name] = kept
            remark = Remark(subject=name, state=STATES[kept.state], sentence=kept.sentence, since=kept.since)
            alarms[name] = Alarm(since=kept.since or first, remark=remark)
    judgements |= {name: replace(judgements[name], changed=True) for name in standing}
    return remarks, judgements, standing, alarms


def _regime(entry: Entry, runs: Sequence[NightRun]) -> str | None:
    """Profile that tonight's figures are under; of an entry that could not be run, the one of the last night."""
    if entry.observation.not_run is None:
        return entry.observation.regime
    known = [one.regime for run in runs for one in run.entries if (one.name, one.options) == (entry.name, entry.options)]
    return next((one for one in reversed(known) if one is not None), None)


def _baseline_under(regime: str | None, entry: Entry, runs: Sequence[NightRun], baseline: Baseline) -> Baseline | None:
    """Returns the baseline, or the former one, whose nights have the entry under this profile; None if they all had another. So a
    profile that comes back is judged as before."""
    if regime is None:
        return baseline
    known: Baseline | None = baseline
    while known is not None:
        theirs = [one for run in accepted_runs(runs, known) for one in run.entries if one.name == entry.name]
        if any(one.regime is None or one.regime == regime for one in theirs) or not theirs:
            return known
        known = known.former
    return None


def _other_profile(check: Check, entry: Entry, runs: Sequence[NightRun], night: date, regime: str | None) -> Remark:
    """Another profile makes other figures: they are learnt anew, and are no alarm."""
    nights = sorted({run.date for run in runs for one in run.entries if (one.name, one.regime) == (entry.name, regime)} | {night})
    told = f"{entry.name} is under profile {regime} since {nights[0]}, and the baseline under another"
    if len(nights) < check.learn_nights:
        told += f"; learning: {len(nights)} of {check.learn_nights} nights"
    else:
        told += f"; `ibcc check accept {check.name} --from {nights[0]}` accepts the {len(nights)} nights"
    return Remark(subject=entry.name, state=WARN if nights == [night] else PASS, sentence=told)


def _unlike_first(entry: Entry, runs: Sequence[NightRun], night: date, regime: str | None) -> Iterator[Remark]:
    """Until nights under a profile are accepted, its first ones are what is expected of it, such as those of its trial run. What
    is worse than these by its least effect in two nights, one after the other, is a warning."""
    mine = [
        run for run in runs if run.date < night and any((one.name, one.regime) == (entry.name, regime) for one in run.entries)
    ]
    for metric, value in entry.observation.metrics:
        known = values_by_night(mine, entry.name, metric.name, entry.options, regime)
        if metric.assumptions is None or value is None or len(known) < 2:
            continue
        nights = sorted(known)
        first = median(known[one] for one in nights[: min(_EXPECTED, len(nights) - 1)])
        if all(metric.matters(first, one - first) for one in (known[nights[-1]], value)):
            unit = "" if metric.unit == "1" else f" {metric.unit}"
            name = f"{entry.name}.{metric.name}"
            told = f"{name} is worse than in the first nights under profile {regime}: {first:.4g} then, {value:.4g}{unit} now"
            yield Remark(subject=name, state=WARN, sentence=told)


def _judged_metrics(entry: Entry, check: Check) -> Sequence[tuple[MetricKind, float | None]]:
    """Returns the metrics of an entry; none has a value if the entry could not be run."""
    if entry.observation.not_run is None:
        return entry.observation.metrics
    mine = [options for options in check.kinds if options.entry == entry.name]
    return [(judged_as(metric, options), None) for options in mine for metric in KINDS.get(options.kind).metrics]


def _stored_alarms(
    entries: Sequence[Entry], judgements: Mapping[str, Judgement], runs: Sequence[NightRun], baseline: Baseline, night: date
) -> dict[str, StoredJudgement]:
    """Returns the alarms of the last run that was judged with this baseline, if runs since the baseline have been removed: the
    nights that are left may show them no more. Runs are numbered without gaps."""
    since = [run for run in runs if run.number > baseline.up_to]
    if len(since) == max((run.number for run in since), default=baseline.up_to) - baseline.up_to:
        return {}
    options = {entry.name: entry.options for entry in entries}
    judged: dict[str, StoredJudgement] = {}
    for run in sorted(since, key=lambda run: run.number):
        if run.baseline == baseline.key and run.date <= night:
            judged |= run.judged
    known = {name: judged[name] for name in judgements if name in judged}
    return {name: one for name, one in known.items() if one.changed and one.options == options[name.partition(".")[0]]}


def _not_comparable(entry: Entry, accepted: Sequence[NightRun], series: Mapping[str, Series]) -> list[Remark]:
    """Says why metrics of an entry are not judged, if some are not."""
    names = [
        f"{entry.name}.{metric.name}"
        for metric, value in entry.observation.metrics
        if value is not None and metric.assumptions is not None
    ]
    missing = [name for name in names if name not in series]
    if not missing:
        return []
    others = any(one.name == entry.name and one.options != entry.options for run in accepted for one in run.entries)
    few = f"the baseline has fewer than {LEAST_BASELINE} values of them"
    why = "its options are not those of the baseline" if others else few
    which = ", ".join(name.partition(".")[2] for name in missing)
    what = "no metric" if len(missing) == len(names) else f"{len(missing)} of {len(names)} metrics not"
    sentence = f"{what} judged{'' if len(missing) == len(names) else f' ({which})'}, as {why}; accept a baseline that has them"
    return [Remark(subject=entry.name, state=WARN, sentence=sentence)]


def _gone(entry: Entry, accepted: Sequence[NightRun]) -> list[Remark]:
    """Names metrics that the baseline has, and tonight has not."""
    if entry.observation.not_run is not None:
        return []
    present = {metric.name for metric, value in entry.observation.metrics if value is not None}
    known = {
        name
        for run in accepted
        for one in run.entries
        if (one.name, one.options) == (entry.name, entry.options)
        for name, value in one.values.items()
        if value is not None
    }
    counts = {metric.name for metric, _ in entry.observation.metrics if metric.assumptions is None}
    names = [f"{entry.name}.{name}" for name in sorted(known - present - counts)]
    return [Remark(subject=name, state=WARN, sentence=f"{name} has no value tonight") for name in names]


def _changed(name: str, metric: MetricKind, one: Judgement, change: Change, since: date, tonight: float | None) -> Remark:
    unit = "" if metric.unit == "1" else f" {metric.unit}"
    before, after = change.before.value, change.after.value
    better = (change.shift.value > 0) == (metric.better == "more")
    matters = metric.matters(before, change.shift.value)
    over = one.latest < 0 if tonight is None else not metric.shows(tonight, before, change.shift.value)
    remark = "better" if better else "worse" if matters else "worse by less than the least effect of interest"
    when = "now" if not over else "then" if tonight is None else f"then, {tonight:.4g} tonight"
    sentence = (
        f"{name} {'was' if over else 'is'} {remark}: {before:.4g} before, {after:.4g}{unit} {when}, a {change.kind} since {since}"
    )
    if over:
        sentence += f"; the alarm ends after {recovery.NIGHTS} nights as before, or when a baseline is accepted"
    return Remark(subject=name, state=FAIL if matters else WARN, sentence=sentence)


def _ended(name: str) -> Remark:
    return Remark(subject=name, state=PASS, sentence=f"{name} is as before, for {recovery.NIGHTS} nights: its alarm has ended")


def _comparable_nights(entries: Sequence[Entry], runs: Sequence[NightRun]) -> set[date]:
    """Nights in which one of tonight's entries was observed with tonight's options, and so on tonight's fabric."""
    asked = {(entry.name, entry.options) for entry in entries}
    return {run.date for run in runs if any(one.not_run is None and (one.name, one.options) in asked for one in run.entries)}


def _learning(check: Check, nights: set[date]) -> str:
    if len(nights) < check.learn_nights:
        return f"learning: {len(nights)} of {check.learn_nights} nights"
    accept = f"`ibcc check accept {check.name} --last {check.learn_nights}`"
    return f"learning: {len(nights)} nights; {accept} accepts them as the baseline"


def _within(baseline: Baseline, night: date) -> str:
    return f"the night of {night} is not after the baseline, which ends with {baseline.nights[-1]}; its metrics are not judged"


def _more(check: Check, state: State, grave: Sequence[Remark]) -> str:
    """Returns the brackets behind the first remark: the numbers of other remarks, new ones and known ones, or the entries that
    could not be run."""
    alike = [remark.subject for remark in grave if remark.sentence == grave[0].sentence]
    names = ", ".join(alike) if state is NOT_RUN and len(check.kinds) > 1 else ""
    others = grave[1:] if not names else [remark for remark in grave if remark.sentence != grave[0].sentence]
    known = sum(remark.since is not None for remark in others)
    parts = [names] * bool(names) + [f"and {len(others) - known} more"] * (known < len(others)) + [f"{known} known"] * bool(known)
    return f" ({', '.join(parts)})" if parts else ""


def _headline(
    check: Check, state: State, remarks: Sequence[Remark], learning: str | None, judgements: Mapping[str, Judgement]
) -> str:
    grave = [remark for remark in remarks if remark.state is state]
    if state is not PASS:
        sentence = grave[0].sentence + _more(check, state, grave)
        return sentence if learning is None else f"{sentence}; {learning}"
    if learning is not None:
        return learning
    if grave:
        return grave[0].sentence
    if not has_normals(check):
        return "no finding"
    return f"no alarm; {len(judgements)} metric{'' if len(judgements) == 1 else 's'} compared with the baseline"
