# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One campaign over three forests: its mechanism on 72 hosts, and, slow, its claims on 648."""

import pytest

from experiments.forest_campaign.experiment import EXPERIMENT, SEARCHED, UNSEEN
from experiments.registry import Options
from tuner.documents.profile import load_profile


@pytest.mark.slow
def test_a_quick_run_recommends_what_is_no_worse_than_the_expert_where_it_searched() -> None:
    fractions: list[float] = []
    findings = EXPERIMENT.run(Options(quick=True, on_progress=fractions.append))
    assert findings.claims[0].holds
    assert findings.data["searched"].keys() == SEARCHED.keys()
    assert findings.data["unseen"].keys() == UNSEEN.keys()
    assert all(here >= expert for expert, here in findings.data["searched"].values())
    assert findings.data["profile"]["cct"]["ccti_limit"] == load_profile("gran-2012").to_dict()["cct"]["ccti_limit"]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0


def test_no_forest_is_both_searched_and_unseen() -> None:
    patterns = [tuple(sorted(pattern.items())) for pattern in (*SEARCHED.values(), *UNSEEN.values())]
    assert len(set(patterns)) == len(patterns)


@pytest.mark.slow
def test_all_claims_hold() -> None:
    findings = EXPERIMENT.run(Options())
    assert [claim.sentence for claim in findings.claims if not claim.holds] == []
