# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Profiles on fabrics, in pairs."""

from statistics import fmean

import pytest

from experiments.carry_over.beds import BEDS, Ground
from experiments.carry_over.matrix import OFF, Key, measure
from tuner.documents.profile import load_profile

DEAF = Key("deaf", "as on the wire")
CURED = Key("gran-2010", "as on the wire")


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return Ground(BEDS[0], tmp_path_factory.mktemp("two-switch"))


@pytest.mark.long
def test_cells_are_judged_against_the_same_replicates_without_cc(ground: Ground) -> None:
    off, fractions = load_profile("off"), list[float]()
    wanted = {
        (DEAF, ground): load_profile("gran-2010", {"switch.threshold": 0}),  # never marks
        (CURED, ground): load_profile("gran-2010"),
    }
    cells = measure(wanted, off=off, replicates=3, workers=1, on_progress=fractions.append)
    assert fractions[-1] == 1.0
    assert cells.keys() == {(key, ground.name) for key in (OFF, DEAF, CURED)}
    deaf, cured = cells[DEAF, ground.name], cells[CURED, ground.name]
    assert deaf.metrics == cells[OFF, ground.name].metrics
    assert deaf.estimates["contributors"].value == 1.0
    assert deaf.estimates["contributors"].standard_error == 0.0
    assert not deaf.cures
    assert cured.cures
    assert cured.good == (cured.contributors >= 0.95)
    assert cured.estimates["contributors"].replicates == 3
    totals = [[one.contributor_total_gbps or 0 for one in metrics] for metrics in (cured.metrics, cured.off)]
    assert cured.contributors == pytest.approx(fmean(totals[0]) / fmean(totals[1]))
    assert cured.to_json()["estimates"]["victims"]["value"] == cured.victims
