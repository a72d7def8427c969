# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Leads a search by the balance: CCTI_Timer is looked for where the balance may be right, and follows two other fields.

CCTI_Timer, Marking_Rate and CCTI_Increase act together, by the balance. A range of CCTI_Timer that serves each Marking_Rate has
many values that are of no use with most; and a step that marks half as many packets says little of Marking_Rate itself, unless
CCTI_Timer is doubled with it.
"""

from collections.abc import Collection, Mapping
from typing import Any

from ccsim.policy import TIMER_UNIT_NS
from tuner.search.field_path import value_of
from tuner.search.samplers.base import Prior
from tuner.search.space import Space
from tuner.suggest.ground import Ground

TIMER, RATE, INCREASE = "ca.ccti_timer", "switch.marking_rate", "ca.ccti_increase"
LEAST, MOST = 0.8, 6.0
"""Balances between which a search looks first: below, a profile does nothing, and above, contributors recover too slowly
(docs/use/carrying-over.md)."""


def balanced(space: Space, ground: Ground, *, has_good_starts: bool) -> Prior:
    """Returns what the balance tells a search on a ground: which values of CCTI_Timer are worth a look at all, and that it
    follows the other two, as far as its range allows."""
    base = space.base.to_dict()

    def unit(params: Mapping[str, Any]) -> float:
        """Returns the CCTI_Timer at a balance of 1."""
        rate, increase = (int(params.get(path, space.fixed.get(path, value_of(base, path)))) for path in (RATE, INCREASE))
        return ground.notifier.between_ns(ground.gap_ns, rate + 1) / (TIMER_UNIT_NS * max(1, increase))

    def with_timer(params: Mapping[str, Any], timer: float) -> dict[str, Any]:
        return {**params, TIMER: space.parameters[TIMER].nearest(timer)}

    def follow(before: Mapping[str, Any], after: Mapping[str, Any], moved: Collection[str]) -> dict[str, Any]:
        if TIMER not in after or TIMER not in before or TIMER in moved or not {RATE, INCREASE} & {*moved}:
            return dict(after)
        return with_timer(after, before[TIMER] * unit(after) / unit(before))

    def place(point: Mapping[str, Any], places: Mapping[str, float]) -> dict[str, Any]:
        if TIMER not in point:
            return dict(point)
        return with_timer(point, unit(point) * LEAST * (MOST / LEAST) ** places[TIMER])

    return Prior(has_good_starts=has_good_starts, follow=follow, place=place)
