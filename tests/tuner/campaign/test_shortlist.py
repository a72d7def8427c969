# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from hypothesis import given
from hypothesis import strategies as st

from tuner.campaign.shortlist import shortlist
from tuner.goals.objectives import OBJECTIVES
from tuner.goals.pareto import front, hypervolume
from tuner.goals.recommendation import PINNED, Candidate

OBJECTIVES_OF_TWO = (OBJECTIVES.get("victim_throughput"), OBJECTIVES.get("treatment_variation"))
REFERENCE = (0.0, 20.0)

rows = st.lists(st.tuples(st.integers(0, 13), st.integers(0, 19), st.booleans()), max_size=10)


def candidate(number: int, victim: float, variation: float, *, feasible: bool = True) -> Candidate:
    return Candidate(
        number=number,
        feasible=feasible,
        victim_throughput_gbps=victim,
        treatment_variation_gbps2=variation,
        spread_gbps=0.0,
        values={"victim_throughput": victim, "treatment_variation": variation},
    )


def chosen(rows: list[tuple[int, int, bool]], size: int) -> tuple[list[Candidate], list[Candidate]]:
    candidates = [candidate(i, victim, variation, feasible=feasible) for i, (victim, variation, feasible) in enumerate(rows)]
    return candidates, shortlist(candidates, OBJECTIVES_OF_TWO, PINNED, reference=REFERENCE, size=size)


@given(rows, st.integers(1, 12))
def test_the_pick_and_then_points_of_the_feasible_front(rows: list[tuple[int, int, bool]], size: int) -> None:
    candidates, short = chosen(rows, size)
    feasible = [one for one in candidates if one.feasible]
    if not feasible:
        assert short == []
        return
    assert short[0] == PINNED.pick(candidates)
    points = [feasible[i] for i in front([one.losses(OBJECTIVES_OF_TWO) for one in feasible])]
    assert all(one in points for one in short[1:])
    assert len(short) == len({one.number for one in short}) <= size
    # All of the front, if there is room for it.
    if size > len(points):
        assert {one.number for one in points} <= {one.number for one in short}
    # Where there is room for them, both ends of the front.
    if size >= 3:
        assert max(one.values["victim_throughput"] for one in short) == max(one.values["victim_throughput"] for one in points)
        assert min(one.values["treatment_variation"] for one in short) == min(one.values["treatment_variation"] for one in points)


@given(rows, st.integers(1, 6))
def test_a_shorter_list_is_the_beginning_of_a_longer_one(rows: list[tuple[int, int, bool]], size: int) -> None:
    assert chosen(rows, size)[1] == chosen(rows, size + 1)[1][:size]


def test_the_rest_is_spread_along_the_front() -> None:
    # Six points close together at one end and one in the middle: the middle comes before the crowd.
    crowd = [(13 - i / 100, 10 - i / 100) for i in range(6)]
    points = [*crowd, (6.0, 5.0), (1.0, 0.0)]
    candidates = [candidate(i, victim, variation) for i, (victim, variation) in enumerate(points)]
    short = shortlist(candidates, OBJECTIVES_OF_TWO, PINNED, reference=REFERENCE, size=4)
    assert {one.number for one in short} == {0, 5, 6, 7}
    taken = [one.losses(OBJECTIVES_OF_TWO) for one in short]
    others = [one.losses(OBJECTIVES_OF_TWO) for one in candidates if one not in short]
    gained = hypervolume(taken, REFERENCE) - hypervolume(taken[:3], REFERENCE)
    assert all(hypervolume([*taken[:3], other], REFERENCE) - hypervolume(taken[:3], REFERENCE) <= gained for other in others)
