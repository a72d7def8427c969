# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Running many measurements at once."""

import numpy as np
import pytest

from experiments._common.runs import Run, measure_all, measure_one, read_all, seeds
from tuner.documents.workload import load_workload
from tuner.errors import BadInputError

SHORT = 0.02


def test_runs_side_by_side_give_what_they_give_alone_in_the_order_asked_for() -> None:
    runs = {seed: Run(workload="scenario-1", profile="gran-2010", seed=seed, time_scale=SHORT) for seed in (3, 1, 2)}
    done: list[float] = []
    together = measure_all(runs, workers=3, on_progress=done.append)
    assert list(together) == [3, 1, 2]
    assert done == pytest.approx([1 / 3, 2 / 3, 1])
    for seed, run in runs.items():
        assert np.array_equal(together[seed].gbps, measure_one(run).gbps)
    assert not np.array_equal(together[1].gbps, together[2].gbps)


def test_of_each_measurement_only_the_reading_is_kept() -> None:
    runs = {seed: Run(workload=load_workload("scenario-1"), seed=seed, time_scale=SHORT) for seed in (2, 1)}
    assert list(read_all(runs, lambda m: (m.seed, len(m.flows))).items()) == [(2, (2, 5)), (1, (1, 5))]


def test_settings_reach_the_profile_and_the_devices() -> None:
    plain = Run(workload="scenario-1", profile="gran-2010", time_scale=SHORT)
    unmarked = Run(workload="scenario-1", profile="gran-2010", profile_settings={"switch.threshold": 0}, time_scale=SHORT)
    unreachable = {"switch.threshold_reference_bytes": 1e9}  # a fill level that no buffer can hold
    deaf = Run(workload="scenario-1", profile="gran-2010", model=unreachable, time_scale=SHORT)
    marks = [sum(row["fecn_marked"] for row in measure_one(run).counters["ports"]) for run in (plain, unmarked, deaf)]
    assert marks[0] > 0
    assert marks[1:] == [0, 0]


def test_the_first_failure_is_raised() -> None:
    runs = {
        "good": Run(workload="scenario-1", time_scale=SHORT),
        "bad": Run(workload="scenario-1", model={"switch.read_port": 2}),
    }
    with pytest.raises(BadInputError, match="read_port"):
        measure_all(runs)


def test_seeds_are_distinct() -> None:
    assert list(seeds(3)) == [1, 2, 3]
    assert list(seeds(2, first=7)) == [7, 8]
