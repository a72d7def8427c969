# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import json
from pathlib import Path

from tests.tuner.cli.conftest import Command
from tuner.documents.workload import load_workload


def test_the_link_is_told_and_the_workload_can_be_read_again(command: Command, tmp_path: Path) -> None:
    placed = tmp_path / "placed.yaml"
    finished = command("hosts", "place", "scenario-1", "two-switch", "--write", placed)
    assert finished.code == 0, finished.err
    assert "F1 shares S1/19 → S2/19 with F2, F3." in finished.out
    workload = load_workload(placed)
    assert [flow.role for flow in workload.flows] == ["victim"] + 4 * ["contributor"]
    assert len({flow.dst for flow in workload.flows}) == 2


def test_programs_are_told_the_same(command: Command) -> None:
    told = json.loads(command("hosts", "place", "scenario-2", "two-switch", "--output", "json").out)
    assert sorted(told["hosts"]) == ["H1", "H2", "H3", "H4", "H5", "H6"]
    assert told["shared"][0]["contributors"] == ["F2", "F3"]


def test_too_few_nodes_are_refused(command: Command) -> None:
    finished = command("hosts", "place", "scenario-1", "two-switch", "--nodes", "node[1-3]")
    assert finished.code == 2
    assert "needs 7 hosts, and there are 3" in finished.err
