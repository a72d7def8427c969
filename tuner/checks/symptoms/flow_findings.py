# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Findings about senders: a change at one host that the metrics of all flows together hardly show.

A sender is compared with the others to the same receivers, so that what takes from all of them says nothing about one; of one
that sends there alone nothing is said, as it gets less whenever others send more. One odd night is a warning; the same host in
the next night that was measured fails.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from tuner.checks.observation import Finding
from tuner.checks.symptoms.flow_changes import ENOUGH
from tuner.checks.symptoms.symptom import Symptom

_LEAST = math.log(1 / 0.6)
"""A sender that gets less than so much of its usual part beside its siblings. Of 120 nights without a fault of 110 senders
(`experiments/nightly_checks`, bed `forest`) one had such a sender, for one night; at 0.77 some had one in every seventh night."""
_ANOTHER_QUESTION = frozenset({"workload-changed", "profile-changed"})
"""With these, senders have a reason to differ from the nights before."""
_NEXT_STEP: Mapping[str, str] = {"sender-slower": "ibcc hosts check", "not-throttled": "ibcc hosts canary"}

LONG = 3
"""Nights in a row after which a sender that is slower at all has a finding: a fifth less, say. Nights are odd independently, so
what one in a hundred senders shows in a night, one in a million shows in three."""


def of_enough_nights(symptoms: Sequence[Symptom] | None, good: Mapping[str, Any] | None) -> Sequence[Symptom]:
    """Returns the symptoms, if the record of the last good night has enough nights to tell one odd sender from their scatter;
    under another profile than before, a few nights say little, and siblings of the same night are compared all the same."""
    return symptoms if symptoms is not None and good is not None and len(good["nights"]) >= ENOUGH else ()


def odd_senders(symptoms: Sequence[Symptom], beside: Sequence[Symptom] = ()) -> list[str]:
    """Returns names of what is odd, for the record that the next night looks at. `beside`: among siblings of the same night."""
    odd = [_key(one) for one in beside]
    if not _is_another_question(symptoms):
        odd += [_key(one) for one in symptoms if one.name == "not-throttled" or _is_far_slower(one)]
    return list(dict.fromkeys(odd))


def slower_for(symptoms: Sequence[Symptom], before: Mapping[str, Any] | None) -> dict[str, int]:
    """Returns the nights in a row in which a sender was slower, tonight the last of them. `before`: the record of the last
    night."""
    known = {} if before is None else before.get("slower_for", {})
    slower = (
        () if _is_another_question(symptoms) else [_key(one) for one in symptoms if one.name == "sender-slower" and one.change]
    )
    return {key: known.get(key, 0) + 1 for key in slower}


def sender_findings(
    symptoms: Sequence[Symptom],
    before: Collection[str],
    beside: Sequence[Symptom] = (),
    lasting: Mapping[str, int] = MappingProxyType({}),
) -> Iterator[Finding]:
    """`before`: what odd_senders returned in the night before. `lasting`: what slower_for returns tonight. Beside siblings of the
    same night a sender is odd with the stated probability alone, so it fails at once."""
    odd, told = set(odd_senders(symptoms, beside)), set[str]()
    for symptom in (*beside, *symptoms):
        key = _key(symptom)
        nights = lasting.get(key, 0)
        if (key in odd or nights >= LONG) and key not in told:
            told.add(key)
            again = ", as in the night before" if key in before else f", for {nights} nights" if nights >= LONG else ""
            yield Finding(
                code=symptom.name,
                sentence=f"{symptom.sentence}{again}",
                place=symptom.place,
                evidence="beside the other senders to the same receivers",
                next_step=_NEXT_STEP[symptom.name],
                severity="fail" if again or symptom in beside else "warn",
                nodes=symptom.nodes,
            )


def _is_another_question(symptoms: Sequence[Symptom]) -> bool:
    return any(one.name in _ANOTHER_QUESTION for one in symptoms)


def seen_before(record: Mapping[str, Any] | None) -> Collection[str]:
    """Returns what the record of a night has; a record of an earlier version has nothing."""
    return () if record is None else record.get("odd_senders", ())


def _is_far_slower(one: Symptom) -> bool:
    return one.name == "sender-slower" and one.change < -_LEAST


def _key(one: Symptom) -> str:
    return f"{one.name} {one.place}"
