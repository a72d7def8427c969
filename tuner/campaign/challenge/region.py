# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The region in which a recommendation is stated to hold: what lies between scenarios that it serves.

Served scenarios of one model span boxes: from 2 to 8 contributors, say, with a background of 0 to 0.3. A box belongs to the
region if it has no scenario of that model which is not served. Places are no range: a profile is to hold anywhere on the fabric.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from tuner.campaign.scenarios.axes import Point
from tuner.documents.campaign_scenarios import MOST_PLACE

Place: TypeAlias = tuple[float, float, float, float]
"""Contributors, background, slow host and slow receiver of a point."""

MOST_PLACES = MOST_PLACE
_ATTEMPTS = 1000
_DIGITS = 3
"""Backgrounds and slow hosts are rounded to so many, since people read and repeat them."""


@dataclass(frozen=True, kw_only=True)
class Stated:
    """A scenario of the campaign, and whether the recommendation serves it."""

    point: Point
    contributors: int
    """Contributors that its workload has; the point may leave the number to the workload."""
    served: bool


class Region:
    """The region of one workload. Empty if no scenario of it is served."""

    def __init__(self, stated: Iterable[Stated]) -> None:
        scenarios, by_place = list(stated), dict[tuple[str, Place], list[Stated]]()
        for one in scenarios:
            by_place.setdefault((one.point.model, _place(one.point, one.contributors)), []).append(one)
        self._served: dict[str, dict[Place, Point]] = {}
        self._lost: dict[str, list[Place]] = {}
        for (model, place), there in by_place.items():
            if all(one.served for one in there):  # at each place on the fabric
                self._served.setdefault(model, {})[place] = there[0].point
            else:
                self._lost.setdefault(model, []).append(place)
        self._own_count = {one.contributors for one in scenarios if one.point.contributors is None}

    @property
    def models(self) -> Sequence[str]:
        return list(self._served)

    def holds(self, point: Point) -> bool:
        """The point lies between served scenarios of its model, with none between them that is lost."""
        counts = self._own_count if point.contributors is None else {point.contributors}
        places = [_place(point, count) for count in counts]
        corners = list(self._served.get(point.model, {}))
        boxes = [(low, high) for low in corners for high in corners]
        return bool(places) and all(
            any(_within(place, box) and not self._has_lost(point.model, box) for box in boxes) for place in places
        )

    def corners(self) -> list[Point]:
        """Returns the served scenarios, each at the first place on the fabric."""
        return [replace(point, place=1) for served in self._served.values() for point in served.values()]

    def draw(self, chance: random.Random) -> Point | None:
        """Returns a point of the region by chance; None if there is none."""
        if not self._served:
            return None
        for _ in range(_ATTEMPTS):
            model = chance.choice(list(self._served))
            low, high = (chance.choice(list(self._served[model].values())) for _ in range(2))
            point = between(low, high, chance)
            if self.holds(point):
                return point
        return None

    def _has_lost(self, model: str, box: tuple[Place, Place]) -> bool:
        return any(_within(place, box) for place in self._lost.get(model, ()))


def between(low: Point, high: Point, chance: random.Random) -> Point:
    """Returns a point of the model of `low` between two, anywhere on the fabric."""
    contributors = low.contributors
    if low.contributors is not None and high.contributors is not None:
        contributors = chance.randint(*sorted((low.contributors, high.contributors)))
    return replace(
        low,
        contributors=contributors,
        place=chance.randint(1, MOST_PLACES),
        background=round(chance.uniform(low.background, high.background), _DIGITS),
        slow_host=round(chance.uniform(low.slow_host, high.slow_host), _DIGITS),
        slow_receiver=low.slow_receiver
        if low.slow_receiver == high.slow_receiver
        else round(chance.uniform(low.slow_receiver, high.slow_receiver), _DIGITS),
    )


def _place(point: Point, contributors: int) -> Place:
    return (float(contributors), point.background, point.slow_host, point.slow_receiver)


def _within(place: Place, box: tuple[Place, Place]) -> bool:
    return all(min(ends) <= value <= max(ends) for value, *ends in zip(place, *box, strict=True))
