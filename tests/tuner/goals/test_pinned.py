# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The pick obeys the rule that CONTRACTS pins, whatever the candidates."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tuner.goals.recommendation import PINNED, VICTIM_TOLERANCE, Candidate

pick = PINNED.pick

# Few distinct values, so that ties and near-ties are common.
levels = st.sampled_from([0.0, 0.5, 1.0, 12.87, 12.88, 12.9, 13.0])
candidates = st.lists(st.tuples(levels, levels, levels, st.booleans()), max_size=8).map(
    lambda rows: [candidate(i, *row[:3], feasible=row[3]) for i, row in enumerate(rows)]
)


def candidate(number: int, victim: float | None, variation: float, spread: float = 0.0, *, feasible: bool = True) -> Candidate:
    return Candidate(
        number=number,
        feasible=feasible,
        victim_throughput_gbps=victim,
        treatment_variation_gbps2=variation,
        spread_gbps=spread,
    )


def victim(row: Candidate) -> float:
    assert row.victim_throughput_gbps is not None
    return row.victim_throughput_gbps


@given(candidates)
def test_the_pick_obeys_the_rule(rows: list[Candidate]) -> None:
    chosen = pick(rows)
    feasible = [row for row in rows if row.feasible]
    if chosen is None:
        assert not feasible
        return
    assert chosen.feasible
    best = max(victim(row) for row in feasible)
    assert victim(chosen) >= best * (1 - VICTIM_TOLERANCE)
    for rival in feasible:
        if victim(rival) < best * (1 - VICTIM_TOLERANCE):
            continue
        variation, least = rival.treatment_variation_gbps2, chosen.treatment_variation_gbps2
        spread, least_spread = rival.spread_gbps, chosen.spread_gbps
        assert variation is not None
        assert least is not None
        assert spread is not None
        assert least_spread is not None
        assert variation >= least
        if variation == least:
            assert spread >= least_spread
            if spread == least_spread:
                assert rival.number >= chosen.number


@given(candidates, st.randoms())
def test_the_order_of_the_candidates_does_not_matter(rows: list[Candidate], random: Any) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert pick(shuffled) == pick(rows)


def test_an_infeasible_profile_sets_no_standard() -> None:
    assert pick([candidate(0, 20.0, 0.0, feasible=False), candidate(1, 13.0, 1.0)]).number == 1  # type: ignore[union-attr]


def test_a_steadier_profile_just_outside_one_percent_is_not_picked() -> None:
    assert pick([candidate(0, 13.0, 5.0), candidate(1, 12.86, 0.1), candidate(2, 12.88, 4.0)]).number == 2  # type: ignore[union-attr]


def test_without_victims_the_treatment_decides() -> None:
    assert pick([candidate(0, None, 5.0), candidate(1, None, 0.1)]).number == 1  # type: ignore[union-attr]
