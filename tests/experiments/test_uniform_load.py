# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The cost of CC under uniform full load: the variants, and what a quick look says."""

import pytest

from experiments.registry import Options
from experiments.uniform_load.bed import fabric_key, fabrics
from experiments.uniform_load.experiment import EXPERIMENT
from experiments.uniform_load.variants import AS_IT_IS, GROUPS, PROFILE, VARIANTS
from tuner.documents.fabric import load_fabric
from tuner.documents.profile import load_profile


def test_each_variant_differs_from_what_it_is_a_variant_of() -> None:
    usual = VARIANTS[AS_IT_IS]
    assert sum(len(group) for group in GROUPS.values()) == len(VARIANTS) - 1
    for name, variant in VARIANTS.items():
        assert (variant == usual) == (name == AS_IT_IS), name
        # Without CC a change of the profile is none.
        assert (variant.same_without_cc == usual.same_without_cc) == (name == AS_IT_IS or name in PROFILE), name


@pytest.mark.parametrize("name", PROFILE)
def test_each_profile_can_be_made(name: str) -> None:
    assert load_profile("gran-2012", VARIANTS[name].profile).encode().entries


def test_fabrics_are_made_once_each() -> None:
    variants = [VARIANTS[name] for name in (AS_IT_IS, "one threshold", "hosts receive 13.3 Gb/s", "routing minhop")]
    with fabrics(4, variants) as paths:
        assert len(paths) == 3
        slow, routed = (load_fabric(paths[fabric_key(variant)]) for variant in variants[2:])
    assert {host.receive_gbps for host in slow.hosts} == {13.3}
    assert routed.routing == "minhop"


@pytest.mark.slow
def test_a_quick_look_holds() -> None:
    assert EXPERIMENT.run(Options(quick=True, workers=1)).holds
