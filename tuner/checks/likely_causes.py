# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The likely causes of what a night has shown, in order.

`tuner.checks.likelihoods` has the causes, and how often each shows which symptoms. A candidate is a place with a symptom that
opens it. Its weight is the sum of the logarithms of the likelihood ratios of all symptoms that were looked for, as if they were
independent; so the weights give an order, and no probabilities.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tuner.checks.alarm import CHANGED
from tuner.checks.cause import Cause
from tuner.checks.likelihoods import CAUSES, SYMPTOMS, CauseRow, Level
from tuner.checks.named_documents import inventory_of, simulate_command
from tuner.checks.observation import Entry
from tuner.checks.states import PASS
from tuner.checks.symptoms.of_night import METRIC_SYMPTOMS, looked_for, symptoms_of
from tuner.checks.symptoms.symptom import Symptom
from tuner.checks.verdict import Verdict
from tuner.documents.check import Check

MOST_CAUSES = 5
MOST_EVIDENCE = 6
_MOST_PLACES = 3
_LEAST_SHARE = 0.01
"""A cause that is less likely than the first by this factor is left out."""


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A night whose causes are looked for. `before`: the causes of the night before."""

    check: Check
    entries: Sequence[Entry]
    verdict: Verdict
    before: Sequence[Cause] = ()


@dataclass(frozen=True)
class _Candidate:
    name: str
    place: str
    matched: tuple[Symptom, ...]
    weight: float
    most_seen: int
    """Symptoms of a place."""

    @property
    def news(self) -> set[str]:
        return {symptom.news for symptom in self.matched}

    @property
    def is_weak(self) -> bool:
        """True if all that is seen at the place is."""
        return all(symptom.weak for symptom in self.matched if symptom.place)


def causes_of(seen: Seen) -> list[Cause]:
    """Returns at most MOST_CAUSES, the most likely first; where a new finding fails, places are behind at which all that is seen
    is weak, as one odd night or one flow is no reason to fail. Of places with the same symptoms, that comes first where most was
    seen. None of a night that shows nothing."""
    if seen.verdict.state is PASS:
        return []
    symptoms, looked = symptoms_of(seen.entries, seen.verdict), looked_for(seen.check, seen.entries, seen.verdict)
    found: list[_Candidate] = []
    for name in CAUSES:
        found += _alike(_candidates(name, symptoms, looked))
    alarms = seen.verdict.alarms.values()
    fails = any(alarm.is_new and alarm.severity == "fail" and alarm.code != CHANGED for alarm in alarms)
    found.sort(key=lambda one: (fails and one.is_weak, -one.weight, "new" not in one.news, -one.most_seen, one.name, one.place))
    likely = [one for one in found if one.weight >= found[0].weight + math.log(_LEAST_SHARE)]
    return [_cause(one, seen) for one in likely[:MOST_CAUSES]]


def _candidates(name: str, symptoms: Sequence[Symptom], looked: Collection[str]) -> Iterator[_Candidate]:
    row = CAUSES[name]
    telling = [one for one in symptoms if one.name in row.shows]
    by_key: dict[str, list[int]] = {}
    for number, telling_one in enumerate(telling):
        for key in _all_keys(telling_one, row.level):
            by_key.setdefault(key, []).append(number)
    for group in _places([one for one in telling if one.name in row.opened_by], row.level):
        keys = {"", *(key for one in group for key in (*one.nodes, *one.ports))}
        matched = [telling[number] for number in sorted({number for key in keys for number in by_key.get(key, ())})]
        place = ", ".join(dict.fromkeys(_shown_place(one, row.level) for one in group if one.place))
        shows = {one.name for one in matched}
        counted = [one for one in row.shows if one in looked or one in shows]
        weight = math.log(row.prior) + sum(_log_ratio(row.shows, one, one in shows) for one in counted)
        ordered = tuple(sorted(matched, key=lambda one: -_log_ratio(row.shows, one.name, True)))
        yield _Candidate(name, place, ordered, weight, len(ordered))


def _places(opening: Sequence[Symptom], level: Level) -> list[list[Symptom]]:
    """Returns the symptoms by place: those that share a key are at one place."""
    if level == "fabric":
        return [list(opening)] if opening else []
    groups: dict[int, tuple[set[str], list[Symptom]]] = {}
    group_of: dict[str, int] = {}
    for number, cause in enumerate(opening):
        keys, mine = _keys(cause, level), [cause]
        if not keys:
            continue
        for other in sorted({group_of[key] for key in keys if key in group_of}):
            theirs = groups.pop(other)
            keys, mine = keys | theirs[0], theirs[1] + mine
        groups[number] = keys, mine
        group_of |= dict.fromkeys(keys, number)
    return [group for _, group in groups.values()]


def _keys(one: Symptom, level: Level) -> set[str]:
    return set(one.ports if level == "port" else one.nodes)


def _shown_place(one: Symptom, level: Level) -> str:
    names_ports = level != "port" or all(port in one.place for port in one.ports)
    return one.place if names_ports else " – ".join(one.ports)


def _all_keys(one: Symptom, level: Level) -> set[str]:
    """Those by which a symptom is at a place; the empty one is at every place, as a symptom of the whole fabric is. One of a node
    is at each of its ports."""
    if level == "fabric" or not one.nodes:
        return {""}
    return _keys(one, level) or set(one.nodes)


def _log_ratio(shows: Mapping[str, float], symptom: str, there: bool) -> float:
    p, otherwise = shows[symptom], SYMPTOMS[symptom].otherwise
    return math.log(p / otherwise) if there else math.log((1 - p) / (1 - otherwise))


def _alike(candidates: Iterator[_Candidate]) -> list[_Candidate]:
    """Puts places with the same symptoms together: forty devices that drifted have one cause. What is new is not put beside what
    is known."""
    groups: dict[frozenset[tuple[str, str]], list[_Candidate]] = {}
    for one in candidates:
        groups.setdefault(frozenset((symptom.name, symptom.news) for symptom in one.matched), []).append(one)
    return [_together(group) for group in groups.values()]


def _together(group: list[_Candidate]) -> _Candidate:
    if len(group) == 1:
        return group[0]
    places = sorted(one.place for one in group)
    more = f" and {len(places) - _MOST_PLACES} more" if len(places) > _MOST_PLACES else ""
    matched = tuple(dict.fromkeys(symptom for one in group for symptom in one.matched))
    shown = ", ".join(places[:_MOST_PLACES]) + more
    return _Candidate(group[0].name, shown, matched, max(one.weight for one in group), max(one.most_seen for one in group))


def next_step_of(row: CauseRow, seen: Seen) -> str:
    return row.next_step.format(
        check=seen.check.name,
        fabric=seen.check.fabric,
        inventory=inventory_of(seen.check),
        simulate=simulate_command(seen.check),
    )


def _cause(one: _Candidate, seen: Seen) -> Cause:
    row = CAUSES[one.name]
    place = one.place or "the whole fabric"
    is_known = "new" not in one.news and (
        "known" in one.news or any((old.name, old.place) == (one.name, place) for old in seen.before)
    )
    steps = [symptom.next_step for symptom in one.matched if symptom.next_step]
    own = [symptom for symptom in one.matched if symptom.name not in METRIC_SYMPTOMS.values()] or one.matched
    evidence = list(dict.fromkeys(symptom.sentence for symptom in own))  # worse metrics stand in the verdict
    more = [f"{len(evidence) - MOST_EVIDENCE} more of this kind"] if len(evidence) > MOST_EVIDENCE else []
    return Cause(
        name=one.name,
        sentence=row.sentence.format(place=one.place),
        place=place,
        evidence=(*evidence[:MOST_EVIDENCE], *more),
        next_step=steps[0] if steps else next_step_of(row, seen),
        weight=round(one.weight, 3),
        known=is_known,
    )
