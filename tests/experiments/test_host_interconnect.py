# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The curves of a congested host, and the claims on them."""

import pytest

from experiments.host_interconnect.bed import Host
from experiments.host_interconnect.experiment import EXPERIMENT, OFF, ON, SMALL, claims, falls_from
from experiments.host_interconnect.swift import HOSTS, Row, swift_claims
from experiments.registry import Options


def test_a_curve_falls_from_where_it_leaves_its_top() -> None:
    assert falls_from({1: 10, 2: 20, 3: 20, 4: 19.9, 5: 15}) == 5
    assert falls_from({1: 10, 2: 20, 3: 20}) == 3


def test_a_point_is_a_host_of_the_paper() -> None:
    host = Host(iommu=True, threads=16, cores=3)
    model = host.fabric().modelled_hosts()[0]
    assert (model.iotlb_entries, model.threads, model.memory_gbytes_per_s) == (128, 16, 90)
    workload, _ = host.run("f.yaml").documents()
    assert sum(flow.rate_gbps or 0 for flow in workload.flows) == pytest.approx(92)
    assert workload.host_loads[0].cores == 3


def test_claims_fail_on_other_curves() -> None:
    flat = dict.fromkeys(range(17), 92.0)
    curves = {"threads": {OFF: flat, ON: flat, SMALL: flat}, "regions": {ON: flat}, "cores": {OFF: flat, ON: flat}}
    held = [claim.holds for claim in claims(curves, quick=False)]
    assert held.count(True) <= 1  # the network brings as much


@pytest.mark.long
def test_a_quick_look_bears_out_the_ends_in_print() -> None:
    found = EXPERIMENT.run(Options(quick=True, workers=1))
    assert found.holds
    assert len(found.claims) == 9


def test_claims_on_drops_fail_on_other_drops() -> None:
    names = list(HOSTS)
    never = {name: Row(gbps=80.0, host_gbps=92.0, dropped=0.0) for name in names}
    assert not any(claim.holds for claim in swift_claims(never))
    assert list(swift_claims({})) == []


@pytest.mark.thorough
def test_a_full_run_bears_out_all_but_the_known_knee() -> None:
    found = EXPERIMENT.run(Options(workers=1))
    assert [claim.sentence for claim in found.claims if not claim.holds] == ["IOMMU off: number of cores from which on it falls"]
