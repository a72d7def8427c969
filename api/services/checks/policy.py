# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A check's policy: which answer a night that fails gets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from api.documents.checks import PolicyDocument, PolicyRule
from tuner.checks.alarm import Alarm, alarm_key
from tuner.checks.states import FAIL
from tuner.checks.store.night_run import NightRun


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A cause that a night has shown. `key`: tells causes apart from night to night. `kind`: of the entry that failed. `known`:
    a person was told of it in an earlier night, or has muted it; it gets no answer."""

    name: str
    key: str
    kind: str
    sentence: str
    known: bool = False


def shown_causes(run: NightRun) -> list[Shown]:
    """Returns what made a night fail: its likely causes, the most likely first, then its findings, then metrics. A likely cause
    belongs to no entry, so it goes with the kind of every entry that failed."""
    kinds = {entry.name: entry.kind for entry in run.entries}
    alarms = None if run.alarms is None else {one.key: one for one in run.alarms}
    failed = [remark for remark in run.remarks if remark.state == FAIL.name]
    failing = list(dict.fromkeys(kinds[name] for one in failed if (name := one.subject.partition(".")[0]) in kinds))
    shown = [
        Shown(name=cause.name, key=f"{cause.name} at {cause.place}", kind=kind, sentence=cause.sentence, known=cause.known)
        for cause in run.causes
        for kind in failing
    ]
    shown += [
        Shown(
            name=finding.code,
            key=f"{finding.code} at {finding.place}",
            kind=entry.kind,
            sentence=finding.sentence,
            known=not _is_new(alarms, alarm_key(entry.name, finding.code, finding.place)),
        )
        for entry in run.entries
        for finding in entry.findings
        if finding.severity == "fail"
    ]
    shown += [
        Shown(
            name="changed",
            key=f"changed at {alarm.subject}",
            kind=kinds[alarm.subject.partition(".")[0]],
            sentence=alarm.sentence,
            known=not _is_new(alarms, alarm.subject),
        )
        for alarm in failed
        if "." in alarm.subject and alarm.subject.partition(".")[0] in kinds
    ]
    return shown


def _is_new(alarms: Mapping[str, Alarm] | None, key: str) -> bool:
    """All is new of a run that stores no alarms."""
    return alarms is None or (key in alarms and alarms[key].is_new)


def chosen(policy: PolicyDocument, shown: Sequence[Shown]) -> tuple[PolicyRule, Shown] | None:
    """Returns the first rule that matches, and the cause that it answers, which is new; None if nothing is to be done."""
    for rule in policy.rules:
        for alarm in (new for new in shown if not new.known):
            if (not rule.causes or alarm.name in rule.causes) and (not rule.kinds or alarm.kind in rule.kinds):
                return rule, alarm
    return None
