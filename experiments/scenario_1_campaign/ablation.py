# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A recommendation taken apart: what does each field do alone, and what is lost without it?"""

from collections.abc import Mapping, Sequence

from experiments._common.runs import Run
from experiments.scenario_1_campaign.bed import EXPERT, TABLE, expert_values, steady
from tuner.documents.parameter import Scalar

FOUND = "recommended"
TIMERS: Sequence[int] = (20, 30, 40, 60, 90, 150, 300)


def rows(found: Mapping[str, Scalar]) -> dict[str, Run]:
    """By what is said of it: the expert, the expert with one field of `found`, `found` with one of the expert's, and `found`."""
    expert = expert_values(found)
    changed = [field for field in found if found[field] != expert[field]]
    table = [field for field in changed if field in TABLE]
    named = {short(field): [field] for field in changed}
    if len(table) > 1:
        named["the whole table"] = table
    pair = [field for field in changed if field not in TABLE]
    if len(pair) > 1:
        named["all but the table"] = pair
    values: dict[str, Mapping[str, Scalar]] = {EXPERT: expert}
    values |= {f"{EXPERT}, but for {name}": expert | {f: found[f] for f in fields} for name, fields in named.items()}
    values |= {f"{FOUND}, but for {name}": {**found, **{f: expert[f] for f in fields}} for name, fields in named.items()}
    values[FOUND] = found
    return {name: steady(settings) for name, settings in values.items()}


def short(field: str) -> str:
    """`ccti_timer` of `ca.ccti_timer`."""
    return field.rpartition(".")[2]


def timers(marking_rates: Sequence[int] = (0, 1), ccti_timers: Sequence[int] = TIMERS) -> dict[tuple[int, int], Run]:
    """By Marking_Rate and CCTI_Timer, all else as the expert has it."""
    return {
        (rate, timer): steady({"switch.marking_rate": rate, "ca.ccti_timer": timer})
        for rate in marking_rates
        for timer in ccti_timers
    }
