# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How much victims are hurt, against what is known: two flows that share nothing, an incast, and a parking lot."""

import pytest

from tuner.campaign.harm import victims_share
from tuner.document_base.model import build_model
from tuner.documents.fabric import load_fabric
from tuner.documents.workload import Workload
from tuner.fabric.built_fabric import build

BUILT = build(load_fabric("two-switch"))
FLOWS = {
    "victim": {"src": "H1", "dst": "H4", "role": "victim"},
    "near": {"src": "H2", "dst": "H5", "role": "contributor"},
    "near 2": {"src": "H3", "dst": "H5", "role": "contributor"},
    "far": {"src": "H6", "dst": "H5", "role": "contributor"},
    "far 2": {"src": "H7", "dst": "H5", "role": "contributor"},
}


def share(*names: str) -> float:
    flows = [{"name": name, **FLOWS[name]} for name in names]
    document = {"ibcc_workload": 1, "name": "w", "fabric": "two-switch", "duration_s": 0.1, "sample_interval_s": 0.001}
    return victims_share(BUILT, build_model(Workload, document | {"warmup_s": 0.05, "flows": flows}))


def test_a_victim_of_an_incast_is_hurt() -> None:
    """Gran et al. (2010): with four contributors the victim gets 3.4 of 13.3 Gb/s."""
    assert share("victim", "near", "near 2", "far", "far 2") == pytest.approx(0.25, abs=0.1)


def test_nobody_is_hurt_by_one_sender() -> None:
    assert share("victim", "near") > 0.95


def test_the_worst_contributor_of_a_parking_lot_gets_less_than_its_share() -> None:
    """Two by a link and two by links of their own: a sixth each for the first two, of a quarter."""
    assert share("near", "near 2", "far", "far 2") == pytest.approx(4 / 6, abs=0.05)
    assert share("far", "far 2") > 0.95
