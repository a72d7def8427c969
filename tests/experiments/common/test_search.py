# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign inside an experiment."""

from dataclasses import replace
from pathlib import Path

import pytest

from experiments._common.search import DOCUMENT, search
from tuner.errors import BadInputError

TEXT = """
ibcc_campaign: 1
name: short
workloads: [scenario-1]
start_from: [gran-2010]
space:
  ca.ccti_timer: {low: 100, high: 200}
objectives: [victim_throughput]
constraints: {contributor_total: {at_least: 0.5}}
budget: {trials: 2}
seeds: [1]
sampler: random
time_scale: 0.02
confirmation: {seeds: [101], time_scale: 0.02}
hypervolume_reference: {victim_throughput: 0}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / DOCUMENT).write_text(TEXT)
    return tmp_path


@pytest.mark.long
def test_another_run_goes_on_with_what_the_first_one_left(folder: Path) -> None:
    told: list[float] = []
    first = search(folder, changes={}, devices={}, workers=1, on_progress=told.append)
    assert told == [0.5, 1.0]
    again = search(folder, changes={"budget.trials": 3}, devices={}, workers=1, on_progress=told.append)
    assert told == [0.5, 1.0, 1.0]
    assert again.trials[:2] == first.trials
    assert len(again.trials) == 3


@pytest.mark.long
def test_other_devices_are_another_campaign(folder: Path) -> None:
    search(folder, changes={}, devices={}, workers=1)
    with pytest.raises(BadInputError, match="differs in backend_settings, devices"):
        search(folder, changes={}, devices={"ca.cnp_spacing_ns": 0}, workers=1)


@pytest.mark.long
def test_devices_reach_the_simulation(folder: Path) -> None:
    # A fill level that no buffer can hold: nobody marks, so the profile does nothing.
    deaf = search(folder, changes={}, devices={"switch.threshold_reference_bytes": 1e9}, workers=1)
    expert, off = deaf.expert_search.metrics, deaf.baseline_search.metrics
    assert replace(expert, room=off.room) == off  # the room is of a table, whatever devices do
