# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The directions of Paper III's Figs. 11 to 14, under each way of carrying BECNs."""

from dataclasses import replace

import pytest

from experiments._common.runs import measure_all
from experiments.parameter_exploration.directions import directions
from experiments.parameter_exploration.grid import CARRIERS, FULL, QUICK, Grid, Reading, runs

COARSE = replace(QUICK, ccti_timers=(10, 150, 2000), marking_rates=(1, 10))


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("grid", [COARSE, pytest.param(FULL, marks=pytest.mark.slow)], ids=["coarse", "full"])
def test_directions(grid: Grid, carrier: str) -> None:
    grid = replace(grid, carriers=(carrier,))
    readings = {key: Reading.of(measurement) for key, measurement in measure_all(runs(grid)).items()}
    claims = directions(grid, readings, carrier)
    assert len(claims) == 7
    for claim in claims:
        assert claim.holds or claim.known_to_fail, f"{claim.sentence}: {claim.here}"
        assert not claim.known_to_fail or carrier != "CNP, 20 us apart", "the default must bear out all of them"
