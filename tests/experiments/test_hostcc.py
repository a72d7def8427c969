# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""hostCC's experiment: its cases, and its claims."""

import pytest

from experiments.hostcc.bed import LEVELS, Case, profile
from experiments.hostcc.experiment import EXPERIMENT, VARIANTS, cases
from experiments.registry import Options


def test_masks_are_those_of_the_variant() -> None:
    for mask, name in ((False, "none"), (True, "ca_ports")):
        chosen = profile("annex A10", mask)
        assert not isinstance(chosen, str)
        assert chosen.to_dict()["switch"]["victim_mask"] == name
    assert profile(None, False) == "off"


def test_only_the_receiver_is_modelled_and_runs_hostcc_where_asked() -> None:
    for levels in (None, *LEVELS):
        models = Case(control="DCQCN", levels=levels, flows=()).fabric().modelled_hosts()
        assert list(models) == [2]
        assert models[2].hostcc.enabled is (levels is not None)


def test_what_is_compared_differs_in_hostcc_alone() -> None:
    found = cases()
    for name in ("annex A10", "DCQCN"):
        plain, marked = found["slow", name], found["slow", f"{name} + hostCC"]
        assert (plain.flows, plain.cores, plain.victim_mask) == (marked.flows, marked.cores, marked.victim_mask)
    assert {key[1] for key in found if isinstance(key, tuple) and key[0] == "slow"} == set(VARIANTS)


@pytest.mark.long
def test_every_claim_holds() -> None:
    found = EXPERIMENT.run(Options(workers=1))
    assert found.holds
    assert [claim.sentence for claim in found.claims if not claim.holds] == [
        "DCQCN, coarse levels: occupancy is within 10 % of the threshold"
    ]
    assert list(found.figures) == ["slow-receiver"]
