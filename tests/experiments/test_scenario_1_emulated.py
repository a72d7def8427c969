# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign through OpenSM comes to what the simulated one comes to: four trials in every run and, slow, sixty."""

import pytest

from experiments.registry import Options
from experiments.scenario_1_emulated.experiment import BACKENDS, EXPERIMENT
from tests.opensm_plugin.conftest import library

__all__ = ["library"]

pytestmark = pytest.mark.usefixtures("infiniband_programs", "library")


@pytest.mark.slow
@pytest.mark.parametrize("quick", [True, False])
def test_both_backends_come_to_the_same(quick: bool) -> None:
    findings = EXPERIMENT.run(Options(quick=quick))
    assert [claim.sentence for claim in findings.claims if not claim.holds] == []
    assert findings.data.keys() == set(BACKENDS)
