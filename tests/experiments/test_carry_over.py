# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What carries over: the mechanism on two small fabrics, and, slow, all claims on five."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from experiments.carry_over.beds import QUICK
from experiments.carry_over.experiment import EXPERIMENT
from experiments.registry import Options

FABRIC = "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover"


@pytest.mark.slow
def test_a_quick_run_measures_every_winner_on_every_fabric_and_goes_on_where_it_was(tmp_path: Path) -> None:
    fractions: list[float] = []
    findings = EXPERIMENT.run(Options(quick=True, workers=1, folder=tmp_path, on_progress=fractions.append))
    assert fractions == sorted(fractions)
    assert fractions[-1] == pytest.approx(1.0)
    assert list(findings.data["campaigns"]) == list(QUICK)
    measured = {(cell["name"], cell["way"], cell["fabric"]) for cell in findings.data["cells"]}
    for source in QUICK:
        for target in QUICK:
            assert (source, "as on the wire", target) in measured
            assert ((source, "by the fair share", target) in measured) == (source != target)
    by_sentence = {claim.sentence: claim for claim in findings.claims}
    assert by_sentence["the rule is good on every fabric"].holds
    assert all(ElementTree.fromstring(figure).tag.endswith("svg") for figure in findings.figures.values())
    told = len(fractions)
    again = EXPERIMENT.run(Options(quick=True, workers=1, folder=tmp_path, on_progress=fractions.append))
    # Trials are not measured again, so nothing is told of them; the comparison is.
    assert fractions[told] > 0.6
    assert again.to_json() == findings.to_json()


@pytest.mark.slow
def test_all_claims_hold(shared: Path) -> None:
    findings = EXPERIMENT.run(Options(fabric=shared / FABRIC))
    assert [claim.sentence for claim in findings.claims if not claim.holds] == []
    assert [table.title for table in findings.tables if not table.rows] == []
