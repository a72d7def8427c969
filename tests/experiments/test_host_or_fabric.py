# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The verdict's experiment: its cases are those that it says, and a few of them come out right."""

from pathlib import Path

import pytest

from experiments.host_or_fabric.cases import FAULTS, STRENGTHS, drawn
from experiments.host_or_fabric.experiment import EXPERIMENT, NAMES, grounds
from experiments.host_or_fabric.ground import JOB_SHARE, Ground
from experiments.registry import Options


@pytest.fixture(scope="module")
def ground() -> Ground:
    return next(grounds(Options()))


def test_jobs_share_no_port_and_leave_room(ground: Ground) -> None:
    for seed in range(1, 20):
        case = drawn(ground, seed, 0.002)
        jobs = [(flow["src"], flow["dst"]) for flow in case.flows if not flow["name"].startswith("more from")]
        ports = [port for job in jobs for port in ground.route(*job)]
        assert len(ports) == len(set(ports))
        assert case.asked_gbps <= (JOB_SHARE + 0.6) * ground.line_gbps * 1.001


def test_cases_are_of_all_kinds_and_an_eighth_is_sound(ground: Ground) -> None:
    cases = [drawn(ground, seed, 0.002) for seed in range(1, 161)]
    names = [case.name for case in cases]
    assert set(names) == {*FAULTS, "several", "none"}
    assert set(names) < set(NAMES)
    assert 10 <= names.count("none") <= 32
    assert all(STRENGTHS[0] <= case.strength <= STRENGTHS[1] for case in cases)
    assert drawn(ground, 7, 0.002).flows == cases[6].flows


@pytest.mark.long
def test_a_quick_run_is_right(shared: Path) -> None:
    found = EXPERIMENT.run(Options(quick=True, fabric=shared / "data/fabrics/tree-qdr-8sw-144ca.ibnetdiscover"))
    assert found.holds
    assert len(found.data["outcomes"]) == 36
    assert {one["fabric"] for one in found.data["outcomes"]} == {"leaf-spine", "tree", "tree-qdr-8sw-144ca"}
