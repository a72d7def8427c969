# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A new campaign from an old one's settings, and from what that one has found."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tuner.campaign.record import TrialRecord
from tuner.campaign.stored import StoredCampaign
from tuner.errors import BadInputError
from tuner.goals.pareto import Point, front


def cloned(old: StoredCampaign, name: str, *, signs: Sequence[int], starts: int = 0) -> dict[str, Any]:
    """The new campaign's document. `starts`: number of the old one's best profiles that are measured first, front by front.

    `signs`: of the objectives, in the order of the trials' values. Raises BadInputError if the old one keeps no document, or has
    the same name.
    """
    settings = old.facts.get("settings")
    if settings is None:
        raise BadInputError(f"campaign '{old.name}' in {old.storage} has no stored document; an older ibcc started it")
    if name == old.name:
        raise BadInputError(f"the clone of campaign '{old.name}' needs another name")
    document = dict(settings["campaign"]) | {"name": name}
    if starts:
        best = best_trials(old.records, signs, starts)
        document["start_values"] = {f"{old.name}-{record.number}": dict(record.params) for record in best}
    return document


def best_trials(records: Iterable[TrialRecord], signs: Sequence[int], count: int) -> list[TrialRecord]:
    """The front of the feasible ones, then the front of the rest, and so on; within one the oldest first."""
    left = [record for record in records if record.feasible]
    best: list[TrialRecord] = []
    while left and len(best) < count:
        chosen = [left[i] for i in front([_loss(record.values, signs) for record in left])]
        best += chosen
        numbers = {record.number for record in chosen}
        left = [record for record in left if record.number not in numbers]
    return best[:count]


def _loss(values: Mapping[str, float], signs: Sequence[int]) -> Point:
    return tuple(sign * value for sign, value in zip(signs, values.values(), strict=True))
