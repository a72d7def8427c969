# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fabrics and their traffic."""

from pathlib import Path

import pytest

from experiments.carry_over.beds import BEDS, Bed, Ground, imported
from tuner.documents.workload import Workload


@pytest.mark.long
@pytest.mark.parametrize("bed", BEDS, ids=lambda bed: bed.name)
def test_traffic_is_drawn_by_the_seed_and_judged_after_the_warm_up(bed: Bed, tmp_path: Path) -> None:
    ground = Ground(bed, tmp_path)
    workload = ground.workload(1)
    roles = [flow.role for flow in workload.flows]
    assert roles.count("contributor") == ground.contributors == bed.shape.contributors
    assert roles.count("victim") == bed.shape.leaves * bed.shape.victims_a_leaf
    assert workload.window() == pytest.approx((ground.warmup_s, ground.warmup_s + ground.window_s))
    assert {flow.start_s for flow in workload.flows if flow.role == "victim"} == {ground.warmup_s}
    assert hosts(ground.workload(1)) == hosts(workload) != hosts(ground.workload(2))


def test_an_imported_fabric_is_of_its_own_rate(shared: Path, tmp_path: Path) -> None:
    ground = Ground(imported(shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover"), tmp_path)
    assert (ground.rate_gbps, ground.mtu_bytes, ground.contributors) == (400, 4096, 32)
    assert ground.receive_gbps == ground.inject_gbps == pytest.approx(400 * 4096 / 4122)
    assert ground.cnp_spacing_ns == pytest.approx(1590, abs=1)  # 19.3 packet times
    assert len(ground.workload(1).flows) == 32 + 16


def test_a_fabric_document_may_be_given_too(tmp_path: Path) -> None:
    tree = Ground(BEDS[1], tmp_path)
    ground = Ground(imported(tree.path), tmp_path / "again")
    assert ground.receive_gbps == tree.receive_gbps
    assert ground.cnp_spacing_ns == tree.cnp_spacing_ns == 20_000


def hosts(workload: Workload) -> list[tuple[str, str]]:
    return [(flow.src, flow.dst) for flow in workload.flows]
