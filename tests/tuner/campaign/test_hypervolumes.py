# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The kept-up hypervolume is that of all points at once."""

from hypothesis import given
from hypothesis import strategies as st

from tuner.campaign.hypervolumes import Hypervolumes
from tuner.campaign.record import TrialRecord
from tuner.goals.objectives import OBJECTIVES
from tuner.goals.pareto import hypervolume

NAMES = ("victim_throughput", "treatment_variation")
REFERENCE = {"victim_throughput": 2.0, "treatment_variation": 5.0}


def record(number: int, victim: float, variation: float, violation: float) -> TrialRecord:
    return TrialRecord(
        number=number,
        origin="sampler",
        params={},
        state="complete",
        values=dict(zip(NAMES, (victim, variation), strict=True)),
        violations={"contributor_total": violation},
    )


coordinate = st.integers(0, 8).map(float)


@given(st.lists(st.tuples(coordinate, coordinate, st.sampled_from([-0.1, 0.1])), max_size=12))
def test_each_entry_is_the_volume_of_all_feasible_trials_so_far(rows: list[tuple[float, float, float]]) -> None:
    records = [record(number, *row) for number, row in enumerate(rows)]
    kept = Hypervolumes([OBJECTIVES.get(name) for name in NAMES], REFERENCE, records)
    assert kept.history == [
        hypervolume([(-victim, variation) for victim, variation, violation in rows[: i + 1] if violation <= 0], (-2.0, 5.0))
        for i in range(len(rows))
    ]
