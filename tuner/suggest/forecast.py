# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Forecasts by the rule alone how a suggested profile does, for any number of contributors and any kind of adapters."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import ccsim
from ccsim.policy import TIMER_UNIT_NS
from tuner.documents.campaign_scenarios import CONTRIBUTORS_SHARE
from tuner.documents.device_model import set_parameter
from tuner.suggest import rule
from tuner.suggest.devices import DEVICE_MODELS
from tuner.suggest.notifier import Notifier
from tuner.suggest.path import Path
from tuner.suggest.suggestion import Suggestion

SURE_BALANCE, SURE_ROOM = 1.2, 1.5
"""Balance and room from which on profiles with an exponent of at least 1 cured on every bed of experiments/carry_over whose
contributors merge evenly."""
LINKS, LINK_NS = 8, 125.0
"""Links that a packet to the receiver and the notification back take together, about as many as on a tree of three levels, and
the time that each adds to the packet's: a switch's routing latency and the cable's delay in the simulator."""
MOST_COST = 1 - CONTRIBUTORS_SHARE
"""Cost at which a scenario of a campaign is served."""
STEPS_AT_MOST, WAITS_AT_MOST = 2.0, 3.0
"""Notifications too many, and times that they wait for the queue to go, as multiples of what is forecast: with both, no incast of
docs/use/carrying-over.md under a profile with CCTI_Increase 1 cost more."""
LOOKS = 5
"""Numbers of contributors that an outlook has besides the least, the most and two."""


class Verdict(StrEnum):
    CURES = "cures"
    UNSURE = "unsure"
    NOTHING = "does nothing"


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """Forecast for a number of contributors to one receiver, all of them backlogged."""

    contributors: int
    balance: float
    """Balance with the contributor that is notified the least often, of those at their fair share or faster."""
    room: float
    cost: float
    """Share of the hotspot's throughput that the profile may cost once contributors have settled, 0 to 1: the larger of what
    chance queues cost, and of what notifications cost that come before the first of them have taken effect."""
    cost_at_most: float
    """The same where such notifications come STEPS_AT_MOST and WAITS_AT_MOST times as often and late, 0 to 1."""
    settles_ms: float
    """Time from the start of the incast until contributors are at their fair share; infinite where they never are."""
    recovers_ms: float
    """Longest time from the end of the table until a contributor sends at full rate again."""

    @property
    def verdict(self) -> Verdict:
        if self.balance < 1 or self.room < 1:
            return Verdict.NOTHING
        return Verdict.CURES if self.balance >= SURE_BALANCE and self.room >= SURE_ROOM else Verdict.UNSURE

    @property
    def losers(self) -> str | None:
        """Who is sure to get less than campaigns with scenarios ask for, or may; None where victims and contributors get that."""
        if self.verdict is not Verdict.CURES:
            return "victims"
        return "contributors" if self.cost_at_most > MOST_COST else None

    def to_json(self) -> dict[str, Any]:
        values = asdict(self)
        return {**values, "settles_ms": None if math.isinf(self.settles_ms) else self.settles_ms, "verdict": str(self.verdict)}


def forecast(suggestion: Suggestion, contributors: int, notifier: Notifier) -> Forecast:
    """Returns what the rule says of a profile with that many contributors and such adapters."""
    path, values = suggestion.path, suggestion.values
    gap_ns = path.gap_ns(contributors)
    slowest_ns = notifier.slowest_ns(gap_ns, values.mark_every)
    balance = values.holds_ns / slowest_ns
    pause = path.pause_packet_times(contributors)
    packets = suggestion.queue.packets(values.threshold, path.packet_bytes)
    steps = rule.AT_INDEX * (pause / values.full_scale_packet_times) ** (1 / rule.EXPONENT)
    between_ns = notifier.between_ns(gap_ns, values.mark_every)
    waits = _feedback_ns(path, packets, notifier) / between_ns
    floor = max(1.0, steps)

    def overshoot(more: float, later: float) -> float:
        return _overshoot_cost(pause, floor, values.ccti_increase * (more + later * waits))

    chance = rule.cost_of(values, path, contributors, notifier, packets)
    rise_ns = rule.rise_ns(steps, values.ccti_increase, slowest_ns, values.holds_ns)
    return Forecast(
        contributors=contributors,
        balance=balance,
        room=(suggestion.delay_at_limit + 1) / (pause + 1),
        cost=max(chance, overshoot(1, 1)),
        cost_at_most=max(chance, overshoot(STEPS_AT_MOST, WAITS_AT_MOST)),
        settles_ms=rise_ns * 1e-6,
        recovers_ms=rule.CCTI_LIMIT * values.ccti_timer * TIMER_UNIT_NS * 1e-6,
    )


def _feedback_ns(path: Path, packets: float, notifier: Notifier) -> float:
    """Returns the time from a mark until the queue is gone: notifications that come meanwhile are too many. On LINKS links to the
    receiver and back, a packet or a notification waits for its predecessor and is routed."""
    link_ns = path.packet_ns + LINK_NS
    return notifier.delay_ns + LINKS * link_ns + packets * path.gap_ns(1)


def _overshoot_cost(pause: float, steps: float, beyond: float) -> float:
    """Returns the part of its fair share that a contributor sends less, on average, while its CCTI falls back by `beyond` to
    `steps`, at which it pauses for `pause` packet times."""
    parts = [beyond * (i + 0.5) / 20 for i in range(20)]
    rates = [(1 + pause) / (1 + pause * ((steps + part) / steps) ** rule.EXPONENT) for part in parts]
    return float(1 - sum(rates) / len(rates))


def works_up_to(suggestion: Suggestion, notifier: Notifier) -> int | None:
    """Returns the most contributors that the profile cures, of those that the fabric has hosts for; None if not even two."""
    if forecast(suggestion, 2, notifier).verdict is not Verdict.CURES:
        return None
    low, high = 2, suggestion.expected.most + 1
    while high - low > 1:
        middle = (low + high) // 2
        if forecast(suggestion, middle, notifier).verdict is Verdict.CURES:
            low = middle
        else:
            high = middle
    return low


def fan_ins(suggestion: Suggestion) -> list[int]:
    """Returns the numbers of contributors to look at: from 2 to twice what is expected, at some LOOKS equal ratios, with
    the ends of that range."""
    low, high = suggestion.contributors
    end = min(2 * high, suggestion.expected.most)
    between = {round(2 * (end / 2) ** (i / LOOKS)) for i in range(LOOKS + 1)}
    kept = {n for n in between if all(not 0.75 < n / end_of < 1.33 for end_of in (low, high))}
    return sorted(kept | {2, low, high, suggestion.made_for, end})


def notifiers(suggestion: Suggestion) -> Mapping[str, Notifier]:
    """Returns the adapters of each device model, for the suggestion's path."""
    return {name: Notifier.of(_adapters(model.settings(suggestion.path))) for name, model in DEVICE_MODELS.items()}


def _adapters(settings: Mapping[str, Any]) -> ccsim.Model:
    model = ccsim.Model()
    for path, value in settings.items():
        set_parameter(model, path, value)
    return model
