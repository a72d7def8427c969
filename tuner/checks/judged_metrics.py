# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The metrics of a night beside their baselines: which have changed, and what is said of those that cannot be compared."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from tuner.check_statistics.evidence import standardized
from tuner.check_statistics.judgement import Change, Judgement
from tuner.check_statistics.series import LEAST_BASELINE, Series
from tuner.checks import recovery
from tuner.checks.alarm import CHANGED, Alarm, Sighting, Signal
from tuner.checks.confirmed import is_for
from tuner.checks.decisions import Confirmed, Decisions
from tuner.checks.kind import KINDS
from tuner.checks.observation import Entry, MetricKind
from tuner.checks.repetition import judged_as
from tuner.checks.shown_value import shown_value
from tuner.checks.states import PASS, WARN
from tuner.checks.store.baseline import Baseline
from tuner.checks.store.night_run import NightRun, Remark
from tuner.checks.store.night_values import accepted_runs, series_of, values_by_night
from tuner.documents.check import Check

_BEYOND = 6.0
"""Standard deviations of the baseline's nights by which a night must be beyond the level of an open alarm to be news."""

_EXPECTED = 3
"""Nights under a profile that tell what is expected of it, as long as none is accepted."""


@dataclass(frozen=True)
class _Metric:
    """A metric that is judged. `first`: the night of the series' first index. `usual`: the middle of the accepted nights."""

    kind: MetricKind
    series: Series
    first: date
    usual: float

    @property
    def tonight(self) -> float | None:
        return self.series.nights[-1]

    def level(self, value: float) -> float:
        """The value as the level of an alarm: more is worse."""
        return value if self.kind.better == "less" else -value

    def value(self, level: float) -> float:
        return level if self.kind.better == "less" else -level

    def is_near(self, level: float) -> bool:
        """True for a value of tonight that is nearer to the level of an alarm than to what is usual."""
        at = self.value(level)
        return self.tonight is not None and self.kind.shows(self.tonight, self.usual, at - self.usual)

    def is_beyond(self, level: float) -> bool:
        """True for a value of tonight that is worse than the level of an alarm by what matters, and by more than noise."""
        if self.tonight is None:
            return False
        at = self.value(level)
        assumed = self.kind.noise
        both = assumed.row.forward(np.array([at, self.tonight]), assumed.floor)
        spread = standardized(self.series.scaled()[None, :], self.series.count, np.array([assumed.resolution]))[2]
        return self.kind.matters(at, self.tonight - at) and bool(abs(both[1] - both[0]) >= _BEYOND * float(spread[0]))


@dataclass(frozen=True)
class JudgedMetrics:
    """Metrics that have a baseline. `sentences`, `severe`: of those that have changed. `ended`: those whose alarm has ended."""

    remarks: list[Remark] = field(default_factory=list)
    judgements: Mapping[str, Judgement] = field(default_factory=dict)
    metrics: Mapping[str, _Metric] = field(default_factory=dict)
    sentences: Mapping[str, str] = field(default_factory=dict)
    severe: frozenset[str] = frozenset()
    ended: frozenset[str] = frozenset()

    def signal(self, alarm: Alarm) -> Signal:
        """Returns what tonight says about an alarm that it does not show."""
        if alarm.key in self.ended:
            return "enough"
        if self.metrics[alarm.key].tonight is None:
            return "unmeasured"
        is_over = not self.judgements[alarm.key].changed and alarm.absent + 1 >= recovery.NIGHTS
        return "enough" if is_over else "absent"

    def sightings(self, before: Mapping[str, Alarm], *, accepted: bool) -> dict[str, Sighting]:
        """Metrics that have changed and show it tonight, or whose alarm is not known yet; and those whose alarm is older than the
        nights that are kept, and which are as it has them. `accepted`: other nights are the baseline since the alarms."""
        found = {}
        for name, judgement in self.judgements.items():
            metric, alarm = self.metrics[name], before.get(name)
            level = None if alarm is None else alarm.level
            if judgement.change is not None:
                shows = metric.tonight is not None and metric.kind.shows(
                    metric.tonight, judgement.change.before.value, judgement.change.shift.value
                )
                if alarm is not None and not shows:
                    continue
                begun = metric.first + timedelta(days=judgement.change.since)
                is_worse = level is not None and metric.is_beyond(level)
                tonight = judgement.change.after.value if metric.tonight is None or not is_worse else metric.tonight
                sentence = self.sentences[name] + (
                    f"; {shown_value(name, tonight)} tonight is beyond what was told" if is_worse else ""
                )
                found[name] = Sighting(
                    subject=name,
                    code=CHANGED,
                    place=name,
                    severity="fail" if name in self.severe else "warn",
                    sentence=sentence,
                    level=metric.level(tonight) if level is None or is_worse else None,
                    worse=is_worse,
                    since=begun,
                )
            elif alarm is not None and not accepted and name not in self.ended and level is not None and metric.is_near(level):
                found[name] = Sighting(
                    subject=name, code=CHANGED, place=name, severity=alarm.severity, sentence=alarm.sentence, since=alarm.opened
                )
        return found


def judged_metrics(
    check: Check,
    entries: Sequence[Entry],
    runs: Sequence[NightRun],
    baseline: Baseline,
    night: date,
    decisions: Decisions,
) -> JudgedMetrics:
    remarks: list[Remark] = []
    metrics: dict[str, _Metric] = {}
    for entry in entries:
        regime = _regime(entry, runs)
        under = _baseline_under(regime, entry, runs, baseline)
        if entry.observation.not_judged is not None:
            sentence = f"{entry.name} is not judged tonight: {entry.observation.not_judged}"
            remarks.append(Remark(subject=entry.name, state=PASS.name, sentence=sentence))
        if under is None:
            remarks.append(_other_profile(check, entry, runs, night, regime))
            remarks += _unlike_first(check, entry, runs, night, regime, decisions)
            continue
        for metric, value in _metrics_of(entry, check):
            if metric.assumptions is None:
                continue
            name = f"{entry.name}.{metric.name}"
            mine = under.of(name)
            if night <= mine.nights[-1]:
                continue
            accepted = accepted_runs(runs, mine)
            repaired = _repaired_on(name, runs, decisions)
            later = [run for run in runs if mine.nights[-1] < run.date <= night and (repaired is None or repaired < run.date)]
            before = values_by_night(accepted, entry.name, metric.name, entry.options, regime)
            since = values_by_night(later, entry.name, metric.name, entry.options, regime)
            since.pop(night, None)
            if value is not None:
                since[night] = value
            if len(before) >= LEAST_BASELINE:  # an entry that is not run tonight keeps its alarms
                series = series_of(before, since, mine, night, metric, check.follow)
                first = mine.nights[-1] + timedelta(days=1)
                metrics[name] = _Metric(metric, series, first, statistics.median(before.values()))
        remarks += _not_comparable(entry, accepted_runs(runs, under), metrics)
        remarks += _gone(entry, accepted_runs(runs, under))
    kinds = {name: one.kind for name, one in metrics.items()}
    series_by_name = {name: one.series for name, one in metrics.items()}
    found = recovery.judged(series_by_name, kinds, alarm_probability=check.alarm_probability)
    remarks += [_ended(name) for name, index in found.ended_on.items() if index == len(metrics[name].series.nights) - 1]
    sentences, severe = dict[str, str](), set[str]()
    for name, judgement in found.judgements.items():
        if judgement.change is not None:
            one = metrics[name]
            begun = one.first + timedelta(days=judgement.change.since)
            sentences[name] = _changed(name, one.kind, judgement, judgement.change, begun, one.tonight)
            if one.kind.matters(judgement.change.before.value, judgement.change.shift.value):
                severe.add(name)
    still = {name for name, judgement in found.judgements.items() if judgement.changed}
    ended = frozenset(found.ended_on) - still
    return JudgedMetrics(remarks, found.judgements, metrics, sentences, frozenset(severe), ended)


def _repaired_on(name: str, runs: Sequence[NightRun], decisions: Decisions) -> date | None:
    """The last night before a person said that the metric is repaired; None if nobody did."""
    said = decisions.repaired(Alarm(subject=name, code=CHANGED, place=name), 0)
    if said is None:
        return None
    return max((run.date for run in runs if run.number <= said.after_run), default=None)


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
        if not known.is_for(entry.name):
            known = known.former
            continue
        theirs = [one for run in accepted_runs(runs, known) for one in run.entries if one.name == entry.name]
        if any(one.regime is None or one.regime == regime for one in theirs) or not theirs:
            return known
        known = known.former
    return None


def _other_profile(check: Check, entry: Entry, runs: Sequence[NightRun], night: date, regime: str | None) -> Remark:
    """Another profile makes other figures: they are learnt anew, and are no alarm."""
    nights = sorted({run.date for run in runs for one in run.entries if (one.name, one.regime) == (entry.name, regime)} | {night})
    sentence = f"{entry.name} is under profile {regime} since {nights[0]}, and the baseline under another"
    if len(nights) < check.learn_nights:
        sentence += f"; learning: {len(nights)} of {check.learn_nights} nights"
    else:
        sentence += f"; `ibcc check accept {check.name} --from {nights[0]}` accepts the {len(nights)} nights"
    return Remark(subject=entry.name, state=(WARN if nights == [night] else PASS).name, sentence=sentence)


def _unlike_first(
    check: Check, entry: Entry, runs: Sequence[NightRun], night: date, regime: str | None, decisions: Decisions
) -> Iterator[Remark]:
    """Until nights under a profile are accepted, the confirmation of the campaign that recommends it is what is expected, or else
    its first nights, such as those of its trial run. What is worse than that by its least effect in two nights, one after the
    other, is a warning."""
    mine = [
        run for run in runs if run.date < night and any((one.name, one.regime) == (entry.name, regime) for one in run.entries)
    ]
    confirmed = _confirmed(check, entry, regime, decisions)
    for metric, value in entry.observation.judged:
        known = values_by_night(mine, entry.name, metric.name, entry.options, regime)
        promised = None if confirmed is None else confirmed.values.get(metric.name)
        if metric.assumptions is None or value is None or len(known) < (2 if promised is None else 1):
            continue
        nights = sorted(known)
        if confirmed is not None and promised is not None:
            first, where = promised, f"campaign '{confirmed.source}' has confirmed for"
        else:
            first = statistics.median(known[one] for one in nights[: min(_EXPECTED, len(nights) - 1)])
            where = "in the first nights under"
        if all(metric.matters(first, one - first) for one in (known[nights[-1]], value)):
            name = f"{entry.name}.{metric.name}"
            then, now = shown_value(name, first), shown_value(name, value, metric.unit)
            sentence = f"{name} is worse than {where} profile {regime}: {then} then, {now} now"
            yield Remark(subject=name, state=WARN.name, sentence=sentence)


def _confirmed(check: Check, entry: Entry, regime: str | None, decisions: Decisions) -> Confirmed | None:
    """The newest confirmation of this profile under the entry's workload."""
    workload = next((getattr(one, "workload", None) for one in check.kinds if one.entry == entry.name), None)
    if regime is None or workload is None:
        return None
    return next((one for one in decisions.confirmed if one.workload == Path(workload).stem and is_for(one, regime)), None)


def _metrics_of(entry: Entry, check: Check) -> Sequence[tuple[MetricKind, float | None]]:
    """Returns the metrics of an entry; none has a value if the entry could not be run."""
    if entry.observation.not_run is None:
        return entry.observation.judged
    mine = [options for options in check.kinds if options.entry == entry.name]
    return [(judged_as(metric, options), None) for options in mine for metric in KINDS.get(options.kind).metrics]


def _not_comparable(entry: Entry, accepted: Sequence[NightRun], judged: Mapping[str, _Metric]) -> list[Remark]:
    """Says why metrics of an entry are not judged, if some are not."""
    names = [
        f"{entry.name}.{metric.name}"
        for metric, value in entry.observation.metrics
        if value is not None and metric.assumptions is not None
    ]
    missing = [name for name in names if name not in judged]
    if not missing:
        return []
    others = any(one.name == entry.name and one.options != entry.options for run in accepted for one in run.entries)
    few = f"the baseline has fewer than {LEAST_BASELINE} values of them"
    why = "its options are not those of the baseline" if others else few
    which = ", ".join(name.partition(".")[2] for name in missing)
    what = "no metric" if len(missing) == len(names) else f"{len(missing)} of {len(names)} metrics not"
    sentence = f"{what} judged{'' if len(missing) == len(names) else f' ({which})'}, as {why}; accept a baseline that has them"
    return [Remark(subject=entry.name, state=WARN.name, sentence=sentence)]


def _gone(entry: Entry, accepted: Sequence[NightRun]) -> list[Remark]:
    """Names metrics that the baseline has, and tonight has not."""
    if entry.observation.not_run is not None or entry.observation.not_judged is not None:
        return []
    present = {metric.name for metric, value in entry.observation.metrics if value is not None}
    known = {
        name
        for run in accepted
        for entry_run in run.entries
        if (entry_run.name, entry_run.options) == (entry.name, entry.options)
        for name, value in entry_run.values.items()
        if value is not None
    }
    counts = {metric.name for metric, _ in entry.observation.metrics if metric.assumptions is None}
    names = [f"{entry.name}.{name}" for name in sorted(known - present - counts)]
    return [Remark(subject=name, state=WARN.name, sentence=f"{name} has no value tonight") for name in names]


def _changed(name: str, metric: MetricKind, one: Judgement, change: Change, since: date, tonight: float | None) -> str:
    before, after = change.before.value, change.after.value
    better = (change.shift.value > 0) == (metric.better == "more")
    matters = metric.matters(before, change.shift.value)
    over = one.latest < 0 if tonight is None else not metric.shows(tonight, before, change.shift.value)
    remark = "better" if better else "worse" if matters else "worse by less than the least effect of interest"
    when = "now" if not over else "then" if tonight is None else f"then, {shown_value(name, tonight)} tonight"
    was = "was" if over else "is"
    levels = f"{shown_value(name, before)} before, {shown_value(name, after, metric.unit)} {when}"
    sentence = f"{name} {was} {remark}: {levels}, a {change.kind} since {since}"
    if over:
        sentence += f"; the alarm ends after {recovery.NIGHTS} nights as before, or when a baseline is accepted"
    return sentence


def _ended(name: str) -> Remark:
    return Remark(
        subject=name, state=PASS.name, sentence=f"{name} is as before, for {recovery.NIGHTS} nights: its alarm has ended"
    )
