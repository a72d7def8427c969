# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Random machines with planted faults. What can be told apart is found by planting all other faults, not by the rules."""

import random
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from experiments.hostping.experiment import EXPERIMENT, with_noise
from experiments.hostping.machines import Planted, random_machine, random_planted, rivals, single_rivals
from experiments.registry import Options
from tuner.hostping.diagnosis import HostVerdict, LinkState, diagnose
from tuner.hostping.planted import Faults, planted_matrix
from tuner.hostping.topology import HostTopology, PcieDevice

seeds = st.integers(min_value=0, max_value=1 << 32)


@given(seeds)
def test_a_single_slow_link_is_named_alone_or_with_those_that_look_the_same(seed: int) -> None:
    planted = random_planted(random.Random(seed), 1)
    same = single_rivals(planted)
    found = diagnose(planted.topology, planted_matrix(planted.topology, planted.faults))
    if same:
        assert set(found.of_state(LinkState.AMBIGUOUS)) == planted.links | same
        assert not found.named
        assert "cannot be told apart" in found.sentence
    else:
        assert not found.of_state(LinkState.AMBIGUOUS)
        assert set(found.named) == planted.links


@given(seeds, st.sampled_from((2, 3)))
def test_several_slow_links_blame_no_other_and_say_what_cannot_be_told_apart(seed: int, faults: int) -> None:
    planted = random_planted(random.Random(seed), faults)
    found = diagnose(planted.topology, planted_matrix(planted.topology, planted.faults))
    same = [planted.links, *rivals(planted)]
    fewest = [links for links in same if len(links) == min(map(len, same))]
    certain = frozenset.intersection(*fewest)
    assert set(found.named) <= certain
    assert set(found.of_state(LinkState.AMBIGUOUS)) >= frozenset().union(*fewest) - certain
    assert all(found.links[link].state is not LinkState.NORMAL for link in planted.links)


def test_a_pair_that_looks_like_one_link_is_said_beside_it() -> None:
    topology = HostTopology(
        memories={"M0": 0},
        adapters=[PcieDevice(name="N0", socket=0, root_port="rp0", switch_links=("rp0",))],
        gpus=[PcieDevice(name="G0", socket=0, root_port="rp0", switch_links=("rp0",))],
    )
    pair = Faults(links_gbps={"memory:M0": 60, "pcie:G0": 60})
    found = diagnose(topology, planted_matrix(topology, pair))
    assert rivals(Planted(topology=topology, faults=pair))
    assert frozenset(pair.links_gbps) in found.looks_like
    assert found.named == ("pcie:N0",)
    assert "cannot be told apart from two links" in found.sentence


@given(seeds)
@example(0)
def test_a_host_without_faults_is_normal(seed: int) -> None:
    topology = random_machine(random.Random(seed))
    found = diagnose(topology, planted_matrix(topology, Faults()))
    assert found.verdict is HostVerdict.NORMAL
    assert not found.of_state(LinkState.ABNORMAL)


def test_noise_of_five_percent_costs_at_most_one_in_twenty_names_and_names_at_most_one_host_in_a_hundred() -> None:
    right = wrong = total = 0
    for seed in range(300):
        planted = with_noise(random_planted(random.Random(f"noise/{seed}"), 1), 0.05)
        healthy = replace(planted.faults, links_gbps={})
        wrong += diagnose(planted.topology, planted_matrix(planted.topology, healthy, seed)).verdict is not HostVerdict.NORMAL
        if not single_rivals(planted):
            found = diagnose(planted.topology, planted_matrix(planted.topology, planted.faults, seed))
            right += set(found.named) == planted.links and not found.of_state(LinkState.AMBIGUOUS)
            total += 1
    assert total > 200
    assert right >= 0.95 * total
    assert wrong <= 3


@pytest.mark.long
def test_the_experiment_holds() -> None:
    findings = EXPERIMENT.run(Options(quick=True))
    assert findings.holds
    assert len(findings.data) == 24
