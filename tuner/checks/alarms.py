# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The alarms of a check from night to night.

Each run stores the alarms as it leaves them, and the next night begins with those of the last earlier one. So no crash leaves
half of an alarm, and a night that is run once more is judged as if it had been run once, with what its earlier runs have seen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from tuner.checks.alarm import CHANGED, RANK, Alarm, Sighting, Signal, after
from tuner.checks.decisions import Decisions, is_at
from tuner.checks.severity import Severity
from tuner.checks.store.night_run import NightRun
from tuner.errors import BadInputError
from tuner.opensm.device_states import first_names


def next_alarms(
    before: Mapping[str, Alarm],
    sightings: Mapping[str, Sighting],
    signals: Mapping[str, Signal],
    decisions: Decisions,
    night: date,
    after_run: int,
) -> dict[str, Alarm]:
    """Returns the alarms as a night leaves them, those that it closes among them, by their keys. `before`: those that the last
    earlier night left. `sightings`: of this night. `signals`: of alarms without a sighting. `after_run`: the number of the run
    that left `before`; what people have said since then counts."""
    found = {}
    for key in dict.fromkeys((*before, *sightings)):
        seen = sightings.get(key)
        alarm = before.get(key)
        if alarm is None:
            assert seen is not None
            alarm = Alarm(subject=seen.subject, code=seen.code, place=seen.place)
        found[key] = _stepped(alarm, seen, signals.get(key, "unmeasured"), decisions, night, after_run)
    return found


def _stepped(alarm: Alarm, seen: Sighting | None, unseen: Signal, decisions: Decisions, night: date, after_run: int) -> Alarm:
    repaired = None if alarm.state == "closed" else decisions.repaired(alarm, after_run)
    alarm = replace(alarm, news="")
    if repaired is not None:
        alarm = replace(alarm, state=after(alarm.state, "repaired")[0], because=repaired.told)
    if seen is not None:
        alarm = _seen(alarm, seen, night)
        if repaired is not None:
            alarm = replace(alarm, news="seen again after it was repaired")
    elif alarm.state != "closed":
        state, news = after(alarm.state, unseen)
        alarm = replace(alarm, state=state, news=news, absent=alarm.absent + (unseen in ("absent", "enough")))
    return _muted(alarm, decisions, night)


def as_decided(alarm: Alarm, decisions: Decisions, night: date, after_run: int) -> Alarm:
    """Returns an alarm of that night with what people have said since its run of that number, before the next one."""
    repaired = None if alarm.state == "closed" else decisions.repaired(alarm, after_run)
    if repaired is not None:
        return replace(alarm, state=after(alarm.state, "repaired")[0], news="", because=repaired.told)
    return _muted(alarm, decisions, night)


def _muted(alarm: Alarm, decisions: Decisions, night: date) -> Alarm:
    if alarm.state == "closed":
        return alarm
    mute = decisions.mute(alarm, night)
    state, news = after(alarm.state, "unmute" if mute is None else "mute")
    told = "" if mute is not None else news or alarm.news
    return replace(alarm, state=state, news=told, because="" if mute is None else mute.told)


def _seen(alarm: Alarm, seen: Sighting, night: date) -> Alarm:
    is_known = alarm.state != "closed"
    levels = [level for level in (seen.level, alarm.level if is_known else None) if level is not None]
    told: Severity = max(seen.severity, alarm.told if is_known else "warn", key=lambda one: RANK[one])
    state, news = after(alarm.state, "worse" if is_known and _is_worse(alarm, seen) else "seen")
    return replace(
        alarm,
        state=state,
        news=news,
        severity=seen.severity,
        sentence=seen.sentence,
        nodes=seen.nodes,
        opened=alarm.opened if is_known else min(seen.since or night, night),
        seen=night,
        absent=0,
        told=told,
        level=max(levels, default=None),
    )


def _is_worse(alarm: Alarm, seen: Sighting) -> bool:
    beyond = seen.level is not None and alarm.level is not None and seen.level > alarm.level
    return seen.worse or beyond or RANK[seen.severity] > RANK[alarm.told]


def alarms_before(runs: Sequence[NightRun], night: date) -> tuple[dict[str, Alarm], int]:
    """Returns the alarms that the last night before this one has left, by their keys, and the number of its run. A run of a
    version without alarms has left those of its findings and of its metrics. `runs`: by date and number."""
    last = next((run for run in reversed(runs) if run.date < night), None)
    if last is None:
        return {}, 0
    return {one.key: one for one in left_by(last) if one.state != "closed"}, last.number


def left_by(run: NightRun) -> Sequence[Alarm]:
    """The alarms as a run left them, those that it closed among them."""
    return _of_old_run(run) if run.alarms is None else run.alarms


def _of_old_run(run: NightRun) -> list[Alarm]:
    since = {(one.subject, one.sentence): one.since for one in run.remarks}
    found = []
    for entry in run.entries:
        for finding in entry.findings:
            opened = since.get((entry.name, finding.sentence))
            found.append(
                Alarm(
                    subject=entry.name,
                    code=finding.code,
                    place=finding.place,
                    state="open",
                    severity=finding.severity,
                    sentence=finding.sentence,
                    opened=run.date if opened is None else date.fromisoformat(opened),
                    seen=run.date,
                    told=finding.severity,
                    nodes=finding.nodes,
                )
            )
    for name, judged in run.judged.items():
        if judged.changed:
            severity: Severity = "fail" if judged.state == "fail" else "warn"
            found.append(
                Alarm(
                    subject=name,
                    code=CHANGED,
                    place=name,
                    state="open",
                    severity=severity,
                    sentence=judged.sentence,
                    opened=judged.since or run.date,
                    seen=run.date,
                    told=severity,
                )
            )
    return found


def standing_alarms(runs: Sequence[NightRun], decisions: Decisions | None = None) -> list[Alarm]:
    """Those that the last night has left, those that are open first; with `decisions`, as they stand now."""
    left, number = alarms_before(runs, date.max)
    night = runs[-1].date if runs else date.max
    found = (one if decisions is None else as_decided(one, decisions, night, number) for one in left.values())
    return sorted((one for one in found if one.state != "closed"), key=lambda one: (one.state != "open", one.state, one.key))


def require_alarm(found: Sequence[Alarm], place: str) -> None:
    """Raises BadInputError if no alarm stands there."""
    if not any(is_at(place, one) for one in found):
        places = [one.place for one in found]
        raise BadInputError(f"no alarm stands at '{place}'; alarms stand at: {first_names(places) or 'no place'}")
