# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs a check: observes its entries, judges the night, and stores it."""

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path

from tuner.checks.alarm import CHANGED
from tuner.checks.could_not_run import CouldNotRunError
from tuner.checks.decisions import Adopted, Decisions
from tuner.checks.expected import NOTHING, Expected, expected_tonight
from tuner.checks.hosts.need import HostNeed
from tuner.checks.hosts.session import HostsOfNight
from tuner.checks.kind import KINDS, GoodRecord, Night, OnDetail
from tuner.checks.likely_causes import Seen, causes_of
from tuner.checks.observation import Entry, Observation
from tuner.checks.observe import observed
from tuner.checks.repetition import repeated
from tuner.checks.store.baseline import Baseline
from tuner.checks.store.good_nights import good_record, latest_record
from tuner.checks.store.night_run import EntryRun, NightRun, StoredJudgement
from tuner.checks.store.night_store import NightStore
from tuner.checks.store.records import EXPECTED
from tuner.checks.verdict import Verdict, verdict
from tuner.documents.check import Check
from tuner.documents.check_kinds import KindOptions
from tuner.errors import IbccError


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """`not_stored`: why the history does not have the run; None if it has. `before`: the runs of the history before it.
    `baseline`: with which it was judged."""

    run: NightRun
    verdict: Verdict
    before: Sequence[NightRun]
    baseline: Baseline | None
    not_stored: str | None = None


@dataclass(frozen=True, kw_only=True)
class _Tonight:
    """All that a night begins with. `expected`: None if nothing is observed. `clock`: by which rates since the last night are."""

    check: Check
    night: date
    history: NightStore
    runs: Sequence[NightRun]
    baseline: Baseline | None
    decisions: Decisions
    started: str
    owner: str
    expected: Expected = NOTHING
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    on_detail: OnDetail = lambda name, document: None

    @classmethod
    def of(cls, check: Check, history: NightStore, night: date, owner: str | None = None) -> "_Tonight":
        """Raises BadInputError for a history that cannot be read."""
        return cls(
            check=check,
            night=night,
            history=history,
            runs=history.runs(),
            baseline=history.baseline(),
            decisions=history.decisions(),
            started=_now(),
            owner=owner or f"ibcc check run {check.name}",
        )


def run_check(
    check: Check,
    history: NightStore,
    night: date,
    *,
    owner: str | None = None,
    on_entry: Callable[[str], Callable[[float], None]] = lambda name: lambda fraction: None,
    on_detail: OnDetail = lambda name, document: None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Outcome:
    """Call it with the history's lock. `owner`: who measures, for others that find the fabric taken. `on_entry`: told the name of
    each entry before it is observed, and returns what is told the fraction done. `on_detail`: as in Night. `clock`: by which
    rates since the last night are.

    Raises BadInputError for a history that cannot be read, and InterruptedRunError; then nothing is stored.
    """
    tonight = _Tonight.of(check, history, night, owner)
    expected = expected_tonight(check.drained, tonight.decisions, night)
    tonight = replace(tonight, expected=expected, clock=clock, on_detail=on_detail)
    needs, entries = host_needs(check, night), []
    with HostsOfNight(check, night, needs) as hosts:
        for kind in check.kinds:
            entries.append(_entry(tonight, kind, on_entry(kind.entry), hosts))
            hosts.done(kind.entry)
    return _concluded(tonight, entries)


def could_not_run(check: Check, history: NightStore, night: date, why: str) -> Outcome:
    """Stores a night of which no entry could be observed. `why`: a sentence. Raises BadInputError for a history that cannot be
    read."""
    entries = [
        Entry(name=kind.entry, options=options_digest(check, kind), observation=Observation(not_run=why)) for kind in check.kinds
    ]
    return _concluded(_Tonight.of(check, history, night), entries)


def _concluded(tonight: _Tonight, entries: Sequence[Entry]) -> Outcome:
    """A person may have accepted nights meanwhile, or said that something is repaired."""
    check, history, night, runs = tonight.check, tonight.history, tonight.night, tonight.runs
    baseline = history.baseline()
    found = verdict(check, entries, runs, baseline, night, history.decisions())
    last = next((one for one in reversed(runs) if one.date < night), None)
    seen = Seen(check=check, entries=entries, verdict=found, before=() if last is None else last.causes)
    run = NightRun(
        check=check.name,
        date=night,
        number=0,
        started=tonight.started,
        ended=_now(),
        entries=tuple(_stored(check, entry, one, found) for entry, one in zip(entries, check.kinds, strict=True)),
        state=found.state.name,
        headline=found.headline,
        remarks=found.remarks,
        causes=tuple(causes_of(seen)),
        judged=_judged(entries, found),
        baseline=None if baseline is None else baseline.key,
        alarms=tuple(found.alarms.values()),
        learning=found.learning,
        fabric=Path(check.fabric).name.removesuffix(".yaml"),
    )
    records = {entry.name: entry.observation.record for entry in entries if entry.observation.record is not None}
    not_stored = None
    try:
        run = history.add(run, records)
    except OSError as error:
        not_stored = f"the night is not stored in {history.place}: {error.strerror}"
    return Outcome(run=run, verdict=found, before=runs, baseline=baseline, not_stored=not_stored)


def night_of_today(history: NightStore, today: date) -> date:
    """Returns today's date. Raises CouldNotRunError if the history has a later night, so that the clock has gone back."""
    latest = history.latest_date()
    if latest is not None and today < latest:
        raise CouldNotRunError(
            f"the clock says {today}, but {history.place} has the night of {latest}; set the clock, or remove the "
            f"files {latest}.*.json there, or give the night with --date"
        )
    return today


def host_needs(check: Check, night: date) -> dict[str, HostNeed]:
    """Returns what each entry needs of hosts, by its name. One whose documents cannot be read is left out: it says so itself when
    it is observed."""
    needs = {}
    for entry in check.kinds:
        with suppress(IbccError, OSError):
            need = KINDS.get(entry.kind).hosts(entry, Night(fabric=check.fabric, date=night))
            if need is not None:
                needs[entry.entry] = need
    return needs


def options_digest(check: Check, options: KindOptions) -> str:
    """Returns what makes values comparable, in short: the entry's options and the fabric, by the names of their files. A folder
    may be moved, and a change of what is in the files is for the check to find."""
    plain = options.model_dump(mode="json", exclude={"name", *options.beside})
    if plain.get("backend") == "cluster":
        plain["plugin"] = None  # it tells which profile is in force, and changes nothing
    named = {key: Path(value).name if isinstance(value, str) else value for key, value in plain.items()}
    text = json.dumps([Path(check.fabric).name, named], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _entry(tonight: _Tonight, options: KindOptions, on_progress: Callable[[float], None], hosts: HostsOfNight) -> Entry:
    digest = options_digest(tonight.check, options)
    told = Night(
        fabric=tonight.check.fabric,
        date=tonight.night,
        owner=tonight.owner,
        on_progress=on_progress,
        on_detail=tonight.on_detail,
        expected=tonight.expected,
        clock=tonight.clock,
    )
    try:
        # Devices, links and routes are compared whatever the options are: another limit or name makes no other fabric.
        comparable = None if KINDS.get(options.kind).is_structure else digest
        latest = latest_record(tonight.history, options.entry, comparable, tonight.runs)
        told = replace(
            told,
            good=_reference(tonight, options, comparable),
            latest=None if latest is None else GoodRecord(*latest),
            hosts=hosts.take(options.entry),
        )
    except (IbccError, OSError) as error:
        return Entry(name=options.entry, options=digest, observation=Observation(not_run=str(error)))
    observation = repeated(
        observed(options, told),
        options,
        lambda number: observed(options, replace(told, repetition=number)),
        runs=tonight.runs,
        baseline=tonight.baseline,
        night=tonight.night,
        digest=digest,
    )
    facts = (*observation.facts, *_facts_of_structure(tonight, options))
    return Entry(name=options.entry, options=digest, observation=replace(observation, facts=facts))


def _reference(tonight: _Tonight, options: KindOptions, comparable: str | None) -> GoodRecord | None:
    """The record that tonight is compared with: of the expected fabric, if a person has adopted one, or of the last good
    night. `comparable`: digest of the options that it is to have; None: any."""
    adopted, history = _adopted(tonight, options), tonight.history
    if adopted is not None and (record := history.record(EXPECTED, options.entry)) is not None:
        return GoodRecord(adopted.night, record, accepted=True)
    good = good_record(history, options.entry, comparable, tonight.runs)
    if good is None:
        return None
    nights = () if tonight.baseline is None else tonight.baseline.nights
    return GoodRecord(
        *good, accepted=good[0] in nights and tonight.baseline is not None and tonight.baseline.is_for(options.entry)
    )


def _adopted(tonight: _Tonight, options: KindOptions) -> Adopted | None:
    adopted = tonight.decisions.adopted
    is_structure = KINDS.get(options.kind).is_structure
    return adopted if is_structure and adopted is not None and options.entry in adopted.options else None


def _facts_of_structure(tonight: _Tonight, options: KindOptions) -> Iterator[str]:
    if KINDS.get(options.kind).is_structure:
        adopted = _adopted(tonight, options)
        if adopted is not None:
            yield adopted.told
        yield from tonight.expected.problems


def _stored(check: Check, entry: Entry, options: KindOptions, found: Verdict) -> EntryRun:
    seen = entry.observation
    mine = [one for one in found.alarms.values() if one.entry == entry.name and one.code == CHANGED]
    failed = any(alarm.severity == "fail" for alarm in seen.findings) or any(
        alarm.severity == "fail" and alarm.state in ("open", "muted") for alarm in mine
    )
    return EntryRun(
        name=entry.name,
        kind=options.kind,
        options=entry.options,
        values={metric.name: value for metric, value in seen.metrics},
        units={metric.name: metric.unit for metric, _ in seen.metrics},
        findings=seen.findings,
        not_run=seen.not_run,
        facts=seen.facts,
        private=(*seen.private, *(check.hosts.private if check.hosts is not None and options.needs_hosts else ())),
        good=seen.not_run is None and not failed,
        regime=seen.regime,
        not_judged=seen.not_judged,
    )


def _judged(entries: Sequence[Entry], found: Verdict) -> dict[str, StoredJudgement]:
    options = {entry.name: entry.options for entry in entries}
    judged = {}
    for name, judgement in found.judgements.items():
        alarm = found.alarms.get(name)
        judged[name] = StoredJudgement(
            changed=judgement.changed,
            evidence=_finite(judgement.evidence),
            latest=_finite(judgement.latest),
            since=None if alarm is None else alarm.opened,
            state="" if alarm is None else alarm.severity,
            sentence="" if alarm is None else alarm.sentence,
            options=options[name.partition(".")[0]],
        )
    return judged


def _finite(value: float) -> float | None:
    """-inf is not JSON."""
    return value if math.isfinite(value) else None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
