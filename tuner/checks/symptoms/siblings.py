# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One test a sender among its siblings of the same night, without a baseline: senders at one switch, whose links
have one rate, of one role, to one receiver, share all links from there on, and so get alike.

A sender's distance from the middle one of its siblings, on a scale of logarithms, is compared with how all senders of the night
scatter. It has Student's t distribution with the degrees of freedom of `medium` tails; a tenth of the stated chance of a false
alarm is that of all senders and nights of a year together.
"""

import math
import statistics
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from tuner.check_statistics.tails import TAILS
from tuner.check_statistics.threshold import ALARM_PROBABILITY, NIGHTS_A_YEAR
from tuner.checks.symptoms.symptom import Symptom

Record: TypeAlias = Mapping[str, Any]

_FREEDOM = TAILS["medium"]
_PART = 0.1
"""Of the stated chance of a false alarm."""
_LEAST_SIBLINGS = 3
_LEAST = math.log(1 / 0.6)
"""Least distance that is of interest."""
_LEAST_SPREAD = 0.03
"""Standard deviation of siblings that is believed at least."""
_NOTIFIED = 1.2
"""Share of its siblings' BECNs a second that no sender has which reacts, as in flow_changes."""


def odd_siblings(tonight: Record, alarm_probability: float = ALARM_PROBABILITY) -> tuple[Symptom, ...]:
    """`tonight`: as flow_record makes it. `change` of a symptom: the distance from the siblings."""
    return tuple(_odd(tonight, alarm_probability))


def _odd(tonight: Record, alarm_probability: float) -> Iterator[Symptom]:
    now, flows = tonight["nights"][-1], tonight["flows"]
    groups = [names for names in _groups(flows).values() if len(names) > _LEAST_SIBLINGS]
    distances = {name: change for names in groups for name, change in _distances(now["gbps"], names).items()}
    if not distances:
        return
    spread = max(_LEAST_SPREAD, 1.4826 * statistics.median(map(abs, distances.values())))
    limit = max(_LEAST, spread * _quantile(_PART * alarm_probability / (2 * NIGHTS_A_YEAR * len(distances))))
    for names in groups:
        for name in names:
            if abs(distances[name]) >= limit:
                yield from _symptom(flows[name], name, distances[name], now, [one for one in names if one != name])


def _symptom(flow: Record, name: str, change: float, now: Record, siblings: list[str]) -> Iterator[Symptom]:
    usual, host = statistics.median([now["gbps"][one] for one in siblings]), flow["src"]
    shown = f"{name} {now['gbps'][name]:.3g} Gb/s, and {usual:.3g} at the middle one of {len(siblings)} siblings"
    if change < 0:
        if now["gbps"][name] + now.get("foreign", {}).get(host, (0.0,))[0] > usual * math.exp(-_LEAST):
            return  # who sends to others may send less here
        told = "sender-slower", f"{host} sends less than its siblings: {shown}"
    else:
        becns, others = _becns(now, name), statistics.median([_becns(now, one) for one in siblings])
        if not others or becns < _NOTIFIED * others:
            return  # who is notified less may send more
        told = (
            "not-throttled",
            f"{host} sends more than its siblings, with {becns / others:.2g} times their BECNs a second: {shown}",
        )
    yield Symptom(name=told[0], sentence=told[1], place=host, ports=tuple(flow["ports"][:2]), nodes=(host,), change=change)


def _groups(flows: Record) -> dict[tuple[str, ...], list[str]]:
    """Flows by role, receiver, and the switch and rate of the sender's link; a flow to many receivers has no siblings."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, flow in flows.items():
        if len(flow["ports"]) > 1:
            switch = flow["ports"][1].rpartition("/")[0]
            groups.setdefault((flow["role"], flow["dst"], switch, flow.get("rate", "")), []).append(name)
    return groups


def _distances(gbps: Mapping[str, float], names: list[str]) -> dict[str, float]:
    logs = {name: math.log(max(gbps[name], 1e-6)) for name in names}
    return {name: log - statistics.median(logs[one] for one in names if one != name) for name, log in logs.items()}


def _becns(now: Record, name: str) -> float:
    """BECNs a second, in a unit that siblings share."""
    return float(now["becn"].get(name, 0.0)) * float(now["gbps"][name])


def _quantile(tail: float) -> float:
    """Returns what Student's t exceeds with this probability, below 0.5."""
    low, high = 0.0, 1e6
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _tail(middle) > tail else (low, middle)
    return (low + high) / 2


def _tail(t: float) -> float:
    """In closed form, as the degrees of freedom are even: 1/2 − u/2 · Σ C(2k, k) (w/4)^k, with w = 1 − u² = ν / (ν + t²)."""
    w = _FREEDOM / (_FREEDOM + t * t)
    series = sum(math.comb(2 * k, k) * (w / 4) ** k for k in range(_FREEDOM // 2))
    return 0.5 - 0.5 * math.sqrt(1 - w) * series
