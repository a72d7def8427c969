# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A recommendation taken apart: what does each field do alone, and what is lost without it?"""

from collections.abc import Mapping, Sequence

from experiments._common.runs import Run
from experiments.scenario_1_campaign.bed import EXPERT, TABLE, expert_values, steady
from tuner.documents.parameter import Scalar

FOUND = "recommended"
INCREASE = "ca.ccti_increase"
WITH_TABLE, WITH_REST = f"{EXPERT} with the recommended table", f"{EXPERT} with all that is recommended but the table"
TIMERS: Sequence[int] = (20, 30, 40, 60, 90, 150, 300)


def rows(found: Mapping[str, Scalar]) -> dict[str, Run]:
    """Returns the runs by description: the expert, the expert with one field of `found`, `found` with one of the expert's, and
    `found`. Also the expert with the found table, and with all but that."""
    expert = expert_values(found)
    changed = [field for field in found if found[field] != expert[field]]
    values: dict[str, Mapping[str, Scalar]] = {EXPERT: expert}
    values |= {one_field(EXPERT, field, found[field]): expert | {field: found[field]} for field in changed}
    for name, fields in ((WITH_TABLE, set(TABLE)), (WITH_REST, set(found) - set(TABLE))):
        if len(fields & set(changed)) > 1:
            values[name] = {field: found[field] if field in fields else value for field, value in expert.items()}
    values |= {one_field(FOUND, field, expert[field]): {**found, field: expert[field]} for field in changed}
    values[FOUND] = found
    return {name: steady(settings) for name, settings in values.items()}


def finer(recommended: Mapping[str, Mapping[str, Scalar]]) -> dict[str, Run]:
    """Returns by name the runs of those recommendations (values of the space, by name) whose BECNs raise CCTI by 2 steps, and of
    the same with 1 step and a CCTI_Timer twice as long, which balances alike."""
    runs: dict[str, Run] = {}
    for name, values in recommended.items():
        timer = values["ca.ccti_timer"]
        if values["ca.ccti_increase"] == 2 and isinstance(timer, int):
            runs[f"{name}: {short(INCREASE)} 2, ccti_timer {timer}"] = steady(values)
            halved = {**values, INCREASE: 1, "ca.ccti_timer": 2 * timer}
            runs[f"the same with {short(INCREASE)} 1, ccti_timer {2 * timer}"] = steady(halved)
    return runs


def one_field(profile: str, field: str, value: Scalar) -> str:
    """Returns the name of a row in which a profile has another value of one field."""
    return f"{profile} with {short(field)} {value}"


def short(field: str) -> str:
    """`ccti_timer` of `ca.ccti_timer`."""
    return field.rpartition(".")[2]


def timers(marking_rates: Sequence[int] = (0, 1), ccti_timers: Sequence[int] = TIMERS) -> dict[tuple[int, int], Run]:
    """Returns the runs by Marking_Rate and CCTI_Timer; all else is as the expert has it."""
    return {
        (rate, timer): steady({"switch.marking_rate": rate, "ca.ccti_timer": timer})
        for rate in marking_rates
        for timer in ccti_timers
    }
