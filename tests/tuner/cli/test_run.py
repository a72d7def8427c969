# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import json
from pathlib import Path

import pytest

from tests.tuner.cli.conftest import Command
from tests.tuner.hosts.local_cluster import LocalCluster
from tuner.measuring.measurement import Measurement

WORKLOAD = """\
ibcc_workload: 1
name: pair
fabric: two-switch
duration_s: 0.5
sample_interval_s: 0.05
flows:
- {name: F1, src: H1, dst: H4, role: victim}
- {name: F2, src: H2, dst: H4, role: contributor}
"""


@pytest.mark.long
def test_real_agents_run_a_workload_without_a_plugin(command: Command, tmp_path: Path) -> None:
    cluster = LocalCluster(tmp_path, hosts=("H1", "H2", "H4"), link_layer="Ethernet")
    (tmp_path / "pair.yaml").write_text(WORKLOAD)
    drawn = tmp_path / "run.svg"
    finished = command(
        "run", tmp_path / "pair.yaml", "--inventory", cluster.inventory, "--set", "backend.lead_s=2", "--plot", drawn, "--seed", 3
    )
    assert finished.code == 0, finished.err
    assert finished.out.startswith("pair on two-switch, profile as it is, 0.5 s, seed 3")
    assert "Note: 3 of 3 hosts (H1, H2, H4) send over Ethernet" in " ".join(finished.out.split())
    assert drawn.read_text().startswith("<")


def test_the_simulator_runs_it_too(command: Command) -> None:
    words = ("scenario-1", "--time-scale", "0.05", "--output", "json")
    run = command("run", *words, "--backend", "simulated", "--profile", "gran-2010")
    simulated = command("simulate", *words, "--profile", "gran-2010")
    one, other = (Measurement.from_json(json.loads(finished.out)) for finished in (run, simulated))
    assert (one.gbps == other.gbps).all()


def test_options_that_do_not_go_together(command: Command, tmp_path: Path) -> None:
    for words, sentence in (
        (("--backend", "simulated", "--inventory", "x.yaml"), "--inventory x.yaml is for the backend 'cluster'"),
        (("--set", "profile.ca.ccti_timer=2"), "changes a profile; name it with --profile"),
        ((), "lacks the setting 'backend.inventory'"),
    ):
        finished = command("run", "scenario-1", *words)
        assert finished.code == 2
        assert sentence in finished.err
