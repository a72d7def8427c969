# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Proposes where a recommendation may break: first where it was measured, then anywhere in its region, and near the worst finds.

Each proposal follows from the seed and from what earlier ones found, so that a challenge that was interrupted goes on as it would
have.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tuner.campaign.challenge.region import MOST_PLACES, Region, between
from tuner.campaign.scenarios.axes import Point

NEAR = 0.5
"""Part of the proposals that are near one of the worst finds."""
WORST = 5
"""Finds near which it looks."""
MOST_SEED = 10**6
_ATTEMPTS = 100


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """A scenario to measure. `seed`: of its runs."""

    workload: str
    point: Point
    seed: int


class Adversary:
    """Searches the regions of a campaign's workloads, by their names."""

    def __init__(self, regions: Mapping[str, Region], seed: int) -> None:
        self._regions = {name: region for name, region in regions.items() if region.models}
        self._chance = random.Random(seed)
        self._first = [(name, point) for name, region in self._regions.items() for point in region.corners()]
        self._chance.shuffle(self._first)
        self._found: list[tuple[float, Attempt]] = []

    def propose(self) -> Attempt:
        """There must be a workload whose region is not empty."""
        seed = self._chance.randint(1, MOST_SEED)
        if self._first:
            name, point = self._first.pop()
            return Attempt(workload=name, point=point, seed=seed)
        if self._found and self._chance.random() < NEAR:
            near = self._chance.choice([attempt for _, attempt in self._found[:WORST]])
            return Attempt(workload=near.workload, point=self._near(near), seed=seed)
        name = self._chance.choice(list(self._regions))
        point = self._regions[name].draw(self._chance) or self._chance.choice(self._regions[name].corners())
        return Attempt(workload=name, point=point, seed=seed)

    def tell(self, attempt: Attempt, violation: float) -> None:
        """`violation`: how far the worst constraint was missed."""
        self._found.append((violation, attempt))
        self._found.sort(key=lambda found: -found[0])  # stable: of equals the first one stays ahead

    def _near(self, attempt: Attempt) -> Point:
        """Returns a point that differs from the attempt's in one or two of its values."""
        region, point = self._regions[attempt.workload], attempt.point
        for _ in range(_ATTEMPTS):
            other = region.draw(self._chance)
            if other is None:
                break
            found, names = point, ["model", "contributors", "place", "background", "slow_host"]
            if other.slow_receiver != point.slow_receiver:
                names.append("slow_receiver")
            for name in self._chance.sample(names, 2):
                found = replace(found, **{name: getattr(other, name)})
            # Half of the way only: the worst is often beside what was bad.
            found = replace(between(found, point, self._chance), place=found.place, model=found.model)
            if region.holds(found):
                return found
        return replace(point, place=self._chance.randint(1, MOST_PLACES))
