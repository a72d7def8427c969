# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Where a recommendation is stated to hold, and where a challenge looks."""

import random
from collections.abc import Iterable

import pytest

from tuner.campaign.challenge.adversary import Adversary, Attempt
from tuner.campaign.challenge.region import Region, Stated
from tuner.campaign.scenarios.axes import Point


def stated(model: str, contributors: int, *, served: bool, background: float = 0.0, place: int = 1) -> Stated:
    point = Point(model=model, contributors=contributors, background=background, place=place)
    return Stated(point=point, contributors=contributors, served=served)


def fan_ins(model: str, served: Iterable[int], lost: Iterable[int] = ()) -> list[Stated]:
    return [stated(model, n, served=True) for n in served] + [stated(model, n, served=False) for n in lost]


def holds(region: Region, contributors: int, *, model: str = "own", background: float = 0.0) -> bool:
    return region.holds(Point(model=model, contributors=contributors, background=background, place=77))


def test_it_reaches_from_the_least_served_to_the_most() -> None:
    region = Region(fan_ins("own", served=[2, 8], lost=[12]))
    assert [n for n in range(1, 16) if holds(region, n)] == list(range(2, 9))


def test_nothing_lies_between_two_served_scenarios_with_a_lost_one_between_them() -> None:
    region = Region(fan_ins("own", served=[2, 4, 8, 10], lost=[6]))
    assert [n for n in range(1, 12) if holds(region, n)] == [2, 3, 4, 8, 9, 10]


def test_each_model_has_its_own() -> None:
    region = Region(fan_ins("own", served=[2, 8]) + fan_ins("ack", served=[2, 4], lost=[8]))
    assert holds(region, 6)
    assert not holds(region, 6, model="ack")
    assert not holds(region, 4, model="another")
    assert list(region.models) == ["own", "ack"]


def test_a_scenario_that_is_lost_at_one_place_is_lost() -> None:
    """A profile is to hold anywhere."""
    region = Region([stated("own", 2, served=True), stated("own", 4, served=True), stated("own", 4, served=False, place=2)])
    assert [n for n in range(1, 6) if holds(region, n)] == [2]


def test_served_scenarios_that_differ_in_two_axes_span_a_box_only_if_nothing_in_it_is_lost() -> None:
    ends = [stated("own", 2, served=True), stated("own", 8, served=True, background=0.3)]
    assert holds(Region(ends), 5, background=0.1)
    assert not holds(Region([*ends, stated("own", 8, served=False)]), 5, background=0.1)
    assert not holds(Region(ends), 5, background=0.4)


def test_an_empty_region_has_no_point() -> None:
    region = Region(fan_ins("own", served=[], lost=[2, 4]))
    assert list(region.models) == []
    assert region.draw(random.Random(1)) is None


def test_a_number_of_contributors_that_the_workload_has_is_a_point() -> None:
    region = Region([Stated(point=Point(), contributors=4, served=True)])
    drawn = region.draw(random.Random(1))
    assert drawn is not None
    assert (drawn.model, drawn.contributors, drawn.background) == ("own", None, 0.0)
    assert region.holds(drawn)


@pytest.mark.parametrize("seed", range(20))
def test_all_that_is_proposed_lies_in_the_region(seed: int) -> None:
    """Walks of random regions and random outcomes."""
    chance = random.Random(seed)
    some = [
        stated(model, n, served=chance.random() < 0.6, background=background)
        for model in ("own", "ack")
        for n in (2, 4, 8)
        for background in (0.0, 0.3)
    ]
    region = Region(some)
    if not region.models:
        return
    adversary = Adversary({"w": region}, seed)
    first = len(region.corners())
    for number in range(60):
        attempt = adversary.propose()
        assert attempt.workload == "w"
        assert region.holds(attempt.point), attempt.point
        assert (attempt.point in region.corners()) or number >= first
        adversary.tell(attempt, chance.uniform(-0.1, 0.1))


def test_the_same_seed_and_outcomes_make_the_same_proposals() -> None:
    region = Region(fan_ins("own", served=[2, 8]))

    def walk(seed: int) -> list[Attempt]:
        adversary, found = Adversary({"w": region}, seed), []
        for _ in range(30):
            found.append(attempt := adversary.propose())
            adversary.tell(attempt, attempt.seed / 1e6)
        return found

    assert walk(1) == walk(1)
    assert walk(1) != walk(2)


def test_it_looks_near_what_was_worst() -> None:
    """Contributors above 20 are bad: more of the later proposals are there than by chance."""
    adversary = Adversary({"w": Region(fan_ins("own", served=[2, 30]))}, 3)
    high = []
    for _ in range(200):
        attempt = adversary.propose()
        assert attempt.point.contributors is not None
        high.append(attempt.point.contributors > 20)
        adversary.tell(attempt, 0.1 if attempt.point.contributors > 20 else -0.1)
    assert sum(high[100:]) > 50
