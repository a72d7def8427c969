# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The sentences about Figs. 11 to 14, on readings made by hand."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from experiments._common.findings import Claim, Findings
from experiments.parameter_exploration.directions import KNOWN_TO_FAIL, boundary, directions
from experiments.parameter_exploration.grid import CARRIERS, Grid, Key, Reading

CARRIER = "CNP, 20 us apart"
GRID = Grid(ccti_timers=(10, 100, 300, 2000), marking_rates=(0, 10), carriers=(CARRIER,))


def readings(**changed: Callable[[int, int], float | None]) -> dict[Key, Reading]:
    """What the paper describes, but for what `changed` computes from CCTI_Timer and Marking_Rate."""
    shape: dict[str, Callable[[int, int], float | None]] = {
        "victim_gbps": lambda timer, rate: 2.2 if timer == 10 or (timer, rate) == (100, 10) else 13.0,
        "contributor_total_gbps": lambda timer, rate: 13.1,
        "treatment_variation_gbps2": lambda timer, rate: timer / 1000,
        "spread_gbps": lambda timer, rate: 0.5,
        "settle_time_s": lambda timer, rate: None if timer == 2000 else 0.05,
    }
    shape |= changed
    return {
        (CARRIER, timer, rate): Reading(**{name: value(timer, rate) for name, value in shape.items()})  # type: ignore[arg-type]
        for timer in GRID.ccti_timers
        for rate in GRID.marking_rates
    }


def failing(**changed: Callable[[int, int], float | None]) -> list[Claim]:
    return [claim for claim in directions(GRID, readings(**changed), CARRIER) if not claim.holds]


def test_what_the_paper_describes_bears_out_every_claim() -> None:
    assert failing() == []
    assert boundary(GRID, readings(), CARRIER, 0) == 100
    assert boundary(GRID, readings(), CARRIER, 10) == 300


@pytest.mark.parametrize(
    ("changed", "figure"),
    [
        ({"victim_gbps": lambda timer, rate: 13.0}, "suffers"),
        ({"victim_gbps": lambda timer, rate: 12.0 if timer == 2000 else 2.2}, "cured from"),
        ({"victim_gbps": lambda timer, rate: 13.0 if timer == 2000 else 2.2}, "cured from"),
        ({"victim_gbps": lambda timer, rate: 13.0 if (timer, rate) != (10, 10) else 2.2}, "cured from"),
        ({"victim_gbps": lambda timer, rate: 13.0 - (rate / 10 if timer == 2000 else 11)}, "depends less"),
        ({"contributor_total_gbps": lambda timer, rate: 13.3 - timer / 1000}, "Fig. 12"),
        ({"treatment_variation_gbps2": lambda timer, rate: 0.1}, "Fig. 14"),
        ({"victim_gbps": lambda timer, rate: 13.0 if timer == 2000 else 2.2}, "Fig. 14"),
        ({"victim_gbps": lambda timer, rate: 13.0 if timer == 2000 else 2.2}, "later at"),
        ({"settle_time_s": lambda timer, rate: 0.05}, "later at"),
        ({"settle_time_s": lambda timer, rate: 0.2 if timer == 2000 else 0.0}, "good part"),
        ({"settle_time_s": lambda timer, rate: 0.9 if timer == 2000 else 0.0}, "all of the time"),
    ],
)
def test_each_claim_can_fail(changed: dict[str, Callable[[int, int], float | None]], figure: str) -> None:
    assert any(figure in claim.sentence for claim in failing(**changed))


def test_known_failures_are_named_by_carrier_and_claim() -> None:
    assert set(KNOWN_TO_FAIL) == set(CARRIERS)
    for carrier, names in KNOWN_TO_FAIL.items():
        grid = replace(GRID, carriers=(carrier,))
        readings_of_carrier = {(carrier, timer, rate): reading for (_, timer, rate), reading in readings().items()}
        assert sum(claim.known_to_fail for claim in directions(grid, readings_of_carrier, carrier)) == len(names)


def test_claims_are_plain_values() -> None:
    json.dumps(Findings(claims=directions(GRID, readings(), CARRIER), tables=[], figures={}, data={}).to_json())
