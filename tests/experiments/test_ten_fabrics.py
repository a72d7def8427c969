# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Suggestions against campaigns: the mechanism on one small fabric, and, slow, all claims on ten."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from experiments._common.findings import Findings
from experiments.registry import Options
from experiments.ten_fabrics import causes
from experiments.ten_fabrics.beds import BEDS
from experiments.ten_fabrics.compare import HELD, OFF, OTHER_HOSTS, SUGGESTED, TOLD
from experiments.ten_fabrics.experiment import EXPERIMENT, QUICK_TRIALS, compare_on, run_on
from experiments.ten_fabrics.ground import DEVICES, OTHER_DEVICES

DUMBBELL = [bed for bed in BEDS if bed.name == "dumbbell"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ten")


@pytest.fixture(scope="module")
def fractions() -> list[float]:
    return []


@pytest.fixture(scope="module")
def findings(folder: Path, fractions: list[float]) -> Findings:
    return run_on(DUMBBELL, Options(quick=True, workers=1, folder=folder, on_progress=fractions.append))


def cells(findings: Findings) -> Mapping[tuple[str, str], Mapping[str, Any]]:
    return {(cell["profile"], cell["where"]): cell for cell in findings.data["cells"]}


@pytest.mark.long
def test_a_campaign_without_the_suggestion_is_searched(findings: Findings, fractions: list[float]) -> None:
    campaign = findings.data["campaigns"]["dumbbell"]
    assert campaign["summary"]["trials"] == QUICK_TRIALS
    assert {trial["origin"] for trial in campaign["trials"]} == {"gran-2010", "gran-2012", "sampler"}
    assert fractions == sorted(fractions)
    assert fractions[-1] == pytest.approx(1.0)


@pytest.mark.long
def test_the_best_keeps_contributors_and_has_most_for_victims(findings: Findings) -> None:
    found, best = cells(findings), findings.data["campaigns"]["dumbbell"]["best"]
    finalists = [cell for (name, where), cell in found.items() if name.startswith("trial") and where == DEVICES]
    kept = [cell for cell in finalists if cell["contributors"]["value"] >= HELD]
    assert found[best, DEVICES]["victims_gbps"] == pytest.approx(max(cell["victims_gbps"] for cell in kept), rel=0.01)
    assert found[best, DEVICES]["victims"]["value"] == found[best, DEVICES]["contributors_of_best"]["value"] == 1.0


@pytest.mark.long
@pytest.mark.parametrize("name", [SUGGESTED, TOLD])
@pytest.mark.parametrize("where", [DEVICES, OTHER_HOSTS, *OTHER_DEVICES])
def test_a_suggestion_is_judged_against_the_best_and_cc_off(findings: Findings, name: str, where: str) -> None:
    found, best = cells(findings), findings.data["campaigns"]["dumbbell"]["best"]
    cell = found[name, where]
    assert cell["victims"]["value"] == pytest.approx(cell["victims_gbps"] / found[best, DEVICES]["victims_gbps"])
    assert cell["contributors"]["value"] == pytest.approx(cell["contributors_gbps"] / found[OFF, where]["contributors_gbps"])
    assert found[OFF, where]["victims"]["value"] < 0.8
    assert cell["victims"]["value"] > HELD


@pytest.mark.long
def test_another_run_continues_with_the_campaign_and_finds_the_same(
    findings: Findings, folder: Path, fractions: list[float]
) -> None:
    told = len(fractions)
    again = run_on(DUMBBELL, Options(quick=True, workers=1, folder=folder, on_progress=fractions.append))
    assert again.to_json() == findings.to_json()
    assert fractions[told] >= 0.6  # no trial is measured again
    assert all(ElementTree.fromstring(figure).tag.endswith("svg") for figure in findings.figures.values())


@pytest.mark.slow
def test_causes_are_measured_by_leaving_them_out(tmp_path: Path) -> None:
    beds = [bed for bed in BEDS if bed.name in ("hypercube", "mixed")]
    compared = compare_on(beds, tmp_path, Options(quick=True, workers=1))
    bursts, hotspots, longer = causes.tables(compared, tmp_path, workers=1)
    assert [row[0] for row in bursts.rows] == ["none", "100 and 50", "1000 and 500", "3000 and 1500"]
    without_pauses, with_pauses = (float(row[1]) for row in bursts.rows[:2])
    assert without_pauses > with_pauses + 4
    by_profile = {row[0]: [float(figure) for figure in row[1:]] for row in hotspots.rows}
    victims, large, small, together = by_profile[TOLD]
    assert victims > 95
    assert small < together < large
    assert len(by_profile) == 4
    assert [row[0] for row in longer.rows] == ["hypercube", "mixed"]


@pytest.mark.slow
def test_all_claims_hold() -> None:
    findings = EXPERIMENT.run(Options())
    assert [claim.sentence for claim in findings.claims if not claim.holds and not claim.known_to_fail] == []
    assert [table.title for table in findings.tables if not table.rows] == []
