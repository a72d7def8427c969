# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A ring of four switches whose shortest routes have a credit loop, from the document to the exit code."""

import json
from pathlib import Path

import pytest

from tests.tuner.cli.conftest import Command
from tuner.backends.registry import create_backend
from tuner.backends.simulated import SimulatedBackend
from tuner.documents.fabric import load_fabric
from tuner.documents.workload import load_workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.fabric.summary import FabricSummary
from tuner.measuring.options import BackendOptions

LOOP = "S0/4 VL 0 -> S3/4 VL 0 -> S2/4 VL 0 -> S1/4 VL 0 -> S0/4 VL 0"
"""Ports 4 lead anti-clockwise: of the ways round that are equally short, minhop's balance takes these."""

WORKLOAD = """\
ibcc_workload: 1
name: half-way-round
fabric: ./ring.yaml
duration_s: 0.02
warmup_s: 0
sample_interval_s: 0.001
flows:
"""


@pytest.fixture
def workload(command: Command, tmp_path: Path) -> Path:
    """Each host of a ring sends to the one opposite; the file of the workload, with ring.yaml beside it."""
    made = command("fabric", "generate", "torus", "--dims", "4", "--hosts-per-switch", "2", "-o", tmp_path / "ring.yaml")
    assert made.code == 0
    use(tmp_path, "minhop")
    flows = [f"- {{name: F{i + 1}, src: H{i + 1}, dst: H{(i + 4) % 8 + 1}}}\n" for i in range(8)]
    file = tmp_path / "workload.yaml"
    file.write_text(WORKLOAD + "".join(flows))
    return file


def use(folder: Path, routing: str) -> None:
    file = folder / "ring.yaml"
    lines = [line for line in file.read_text().splitlines() if not line.startswith("routing:")]
    file.write_text("\n".join([*lines, f"routing: {routing}", ""]))


def test_the_loop_is_spelled_out(workload: Path, tmp_path: Path) -> None:
    built = build(load_fabric(tmp_path / "ring.yaml"))
    assert built.credit_loop() == LOOP
    assert f"the routes have a credit loop, so they can deadlock: {LOOP}" in FabricSummary(built).warnings


@pytest.mark.parametrize("routing", ["dor", "updown"])
def test_other_routings_of_the_ring_have_none(workload: Path, tmp_path: Path, routing: str) -> None:
    use(tmp_path, routing)
    built = build(load_fabric(tmp_path / "ring.yaml"))
    assert built.credit_loop() is None
    assert FabricSummary(built).warnings == []


def test_a_fabric_with_a_loop_is_refused(workload: Path) -> None:
    with pytest.raises(BadInputError, match=rf"the routes of fabric 'torus-4-2' \(routing minhop\) have a credit loop.*{LOOP}"):
        create_backend("simulated").measure(load_workload(workload), seed=1)


def test_a_deadlock_that_happens_is_in_the_counters(workload: Path) -> None:
    warnings: list[str] = []
    backend = SimulatedBackend(BackendOptions(allow_credit_loops=True, on_warning=warnings.append))
    measurement = backend.measure(load_workload(workload), seed=1)
    deadlock = measurement.counters["deadlock"]
    assert [f"{row['node']}/{row['port']} VL {row['vl']}" for row in deadlock["cycle"]] == LOOP.split(" -> ")[:-1]
    assert 0 < deadlock["since_s"] < 0.01
    stood = measurement.t_s > deadlock["since_s"] + 0.001
    standing = measurement.gbps[:, stood].sum(axis=1) == 0
    assert standing.sum() == 6  # two of the eight go the other way round, which no buffer of the cycle holds up
    assert warnings == [f"deadlock: since {deadlock['since_s'] * 1e3:.6g} ms these ports have waited for each other: {LOOP}"]


def test_the_command_refuses_or_reports(workload: Path, command: Command) -> None:
    refused = command("simulate", workload)
    assert (refused.code, refused.out) == (2, "")
    assert LOOP in refused.err
    assert "--allow-credit-loops" in refused.err
    ran = command("simulate", workload, "--allow-credit-loops", "--output", "json")
    assert ran.code == 1
    assert len(json.loads(ran.out)["counters"]["deadlock"]["cycle"]) == 4
    assert "deadlock: since" in ran.err
    assert "ended in a deadlock" in ran.err


@pytest.mark.long
@pytest.mark.parametrize("routing", ["dor", "updown"])
def test_under_other_routings_all_flows_get_through(workload: Path, tmp_path: Path, command: Command, routing: str) -> None:
    use(tmp_path, routing)
    ran = command("simulate", workload, "--output", "json")
    assert ran.code == 0
    measured = json.loads(ran.out)
    assert "deadlock" not in measured["counters"]
    assert all(flow["series"][-1]["gbps"] > 0 for flow in measured["flows"])
