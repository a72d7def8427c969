# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Remarks say of a night each alarm and each kind that could not be run; one line heads them."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from tuner.checks.alarm import CHANGED, Alarm
from tuner.checks.kind import has_normals
from tuner.checks.states import FAIL, NOT_RUN, PASS, STATES, WARN, State, worst
from tuner.checks.store.night_run import Remark


@dataclass(frozen=True, kw_only=True)
class Told:
    """`remarks`: the gravest first, and of these what is new. `headline`: one line."""

    state: State
    headline: str
    remarks: tuple[Remark, ...]


def told(remarks: Sequence[Remark], *, kinds: Sequence[str], learning: str | None, judged: int) -> Told:
    """`kinds`: of the check's entries. `learning`: how far the baseline is, if there is none. `judged`: number of
    metrics that are compared with it."""
    state = worst(STATES[remark.state] for remark in remarks)
    ordered = tuple(sorted(remarks, key=lambda one: (-STATES[one.state].rank, one.since is not None)))
    grave = [one for one in ordered if one.state == state.name]
    if state is not PASS:
        sentence = grave[0].sentence + _more(len(kinds), state, grave)
        headline = sentence if learning is None else f"{sentence}; {learning}"
    elif learning is not None:
        headline = learning
    elif grave:
        headline = grave[0].sentence
    elif not has_normals(kinds):
        headline = "no finding"
    else:
        headline = f"no alarm; {judged} metric{'' if judged == 1 else 's'} compared with the baseline"
    return Told(state=state, headline=headline, remarks=ordered)


def of_alarm(alarm: Alarm, night: date, not_run: Collection[str]) -> Iterator[Remark]:
    """`not_run`: entries that could not be run, which says enough of their findings."""
    state = FAIL if alarm.severity == "fail" else WARN
    sentence = alarm.sentence
    if alarm.state == "open":
        if alarm.seen != night and alarm.code != CHANGED:
            sentence += f" (not measured tonight, seen on {alarm.seen})"
            state = PASS if alarm.entry in not_run else state
        elif alarm.news not in ("", "new"):
            sentence += f" ({alarm.news}, first seen on {alarm.opened})"
    elif alarm.state == "muted":
        state, sentence = PASS, f"{sentence} ({alarm.because})"
    elif alarm.state == "waiting" and alarm.code == CHANGED:
        state = WARN
    else:
        return
    since = None if alarm.is_new else alarm.opened.isoformat()
    yield Remark(subject=alarm.subject, state=state.name, sentence=sentence, since=since, code=alarm.code)


def _more(entries: int, state: State, grave: Sequence[Remark]) -> str:
    """Returns the brackets behind the first remark: the numbers of other remarks, new ones and known ones, or the entries that
    could not be run."""
    alike = [remark.subject for remark in grave if remark.sentence == grave[0].sentence]
    names = ", ".join(alike) if state is NOT_RUN and entries > 1 else ""
    others = grave[1:] if not names else [remark for remark in grave if remark.sentence != grave[0].sentence]
    known = sum(remark.since is not None for remark in others)
    parts = [names] * bool(names) + [f"and {len(others) - known} more"] * (known < len(others)) + [f"{known} known"] * bool(known)
    return f" ({', '.join(parts)})" if parts else ""
