# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Findings about senders: a change at one host that the metrics of all flows together hardly show.

A sender is compared with the others to the same receivers, so that what takes from all of them says nothing about one. One odd
night is a warning; the same host in the next night that was measured fails.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from tuner.checks.observation import Finding
from tuner.checks.symptoms.symptom import Symptom

_LEAST = math.log(1 / 0.6)
"""A sender that gets less than so much of its usual part beside its siblings. Of 120 nights without a fault of 110 senders
(`experiments/nightly_checks`, bed `forest`) one had such a sender, for one night; at 0.77 some had one in every seventh night."""
_ANOTHER_QUESTION = frozenset({"workload-changed", "profile-changed"})
"""With these, senders have a reason to differ from the nights before."""
_NEXT_STEP: Mapping[str, str] = {"sender-slower": "ibcc hosts check", "not-throttled": "ibcc hosts canary"}


def odd_senders(symptoms: Sequence[Symptom]) -> list[str]:
    """Returns names of what is odd, for the record that the next night looks at."""
    if any(one.name in _ANOTHER_QUESTION for one in symptoms):
        return []
    return [_key(one) for one in symptoms if one.name == "not-throttled" or _is_far_slower(one)]


def sender_findings(symptoms: Sequence[Symptom], before: Collection[str]) -> Iterator[Finding]:
    """`before`: what odd_senders returned in the night before."""
    odd = set(odd_senders(symptoms))
    for one in symptoms:
        if _key(one) in odd:
            again = _key(one) in before
            yield Finding(
                code=one.name,
                sentence=f"{one.sentence}{', as in the night before' if again else ''}",
                place=one.place,
                evidence="beside the other senders to the same receivers",
                next_step=_NEXT_STEP[one.name],
                severity="fail" if again else "warn",
                nodes=one.nodes,
            )


def seen_before(record: Mapping[str, Any] | None) -> Collection[str]:
    """Returns what the record of a night has; a record of an earlier version has nothing."""
    return () if record is None else record.get("odd_senders", ())


def _is_far_slower(one: Symptom) -> bool:
    return one.name == "sender-slower" and one.change < -_LEAST


def _key(one: Symptom) -> str:
    return f"{one.name} {one.place}"
