# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The directions of Paper III's Figs. 11 to 14, under each way of carrying BECNs."""

from dataclasses import replace

import pytest

from experiments._common.findings import Claim
from experiments._common.runs import measure_all
from experiments.parameter_exploration.directions import directions
from experiments.parameter_exploration.grid import CARRIERS, FULL, QUICK, Grid, Reading, runs

pytestmark = pytest.mark.long

FIRST_LOOK = [pytest.param(name, marks=[pytest.mark.slow] if number else []) for number, name in enumerate(CARRIERS)]
COARSE = replace(QUICK, ccti_timers=(10, 150, 2000), marking_rates=(1, 10))


def claims(grid: Grid, carrier: str) -> list[Claim]:
    grid = replace(grid, carriers=(carrier,))
    readings = {key: Reading.of(measurement) for key, measurement in measure_all(runs(grid)).items()}
    return directions(grid, readings, carrier)


@pytest.mark.thorough
@pytest.mark.parametrize("carrier", FIRST_LOOK)
def test_a_first_look_finds_no_failure_that_is_not_known(carrier: str) -> None:
    for claim in claims(COARSE, carrier):
        assert claim.holds or claim.known_to_fail, f"{claim.sentence}: {claim.here}"


@pytest.mark.slow
@pytest.mark.parametrize("carrier", CARRIERS)
def test_what_is_told_to_fail_does_and_nothing_else(carrier: str) -> None:
    for claim in claims(FULL, carrier):
        assert claim.known_to_fail == (not claim.holds), f"{claim.sentence}: {claim.here}"
