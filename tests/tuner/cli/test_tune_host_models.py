# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign on a fabric with modelled hosts, whose workload loads one of them."""

import json
from pathlib import Path

import pytest

from tests.tuner.cli.conftest import Command
from tests.tuner.documents.test_host_model import FABRIC, WORKLOAD
from tuner.documents.host_model import HostModel

CAMPAIGN = """\
ibcc_campaign: 1
name: hosts
description: A receiver that is loaded while two contributors send to it.
workloads: [w.yaml]
backend: simulated
base: gran-2010
baseline: off
expert: gran-2010
space:
  ca.ccti_timer: {low: 10, high: 400, log: true}
objectives: [victim_throughput]
budget: {trials: 1, time_s: 30}
seeds: [1]
sampler: {kind: random, seed: 1}
confirmation: {seeds: [101], front: 1}
hypervolume_reference: {victim_throughput: 2}
"""
FLOWS = """\
flows:
- {name: a, src: H2, dst: H1, role: contributor}
- {name: b, src: H3, dst: H1, role: contributor}
- {name: v, src: H3, dst: H2, role: victim}
"""


@pytest.mark.long
def test_a_campaign_measures_with_models_and_loads_and_reports_them(command: Command, tmp_path: Path) -> None:
    workload = WORKLOAD.replace("flows: [{name: a, src: H1, dst: H2}]\n", FLOWS).replace("fabric: f", "fabric: f.yaml")
    (tmp_path / "f.yaml").write_text(FABRIC.replace("hostcc: {level_factors: [1, 0.5, 0.5, 0.5, 0.1]}", "cores: 28"))
    (tmp_path / "w.yaml").write_text(workload.replace("cores: 4, start_s: 0.002, stop_s: 0.004", "cores: 28"))
    (tmp_path / "c.yaml").write_text(CAMPAIGN)
    store, report = tmp_path / "c.sqlite3", tmp_path / "report"
    finished = command("tune", tmp_path / "c.yaml", "--storage", store, "--report", report)
    assert finished.code in (0, 1), finished.err  # 1: none keeps the constraints
    document = json.loads((report / "report.json").read_text())
    (baseline,) = document["baseline"]["measurements"]
    rows = {row["name"]: row for row in baseline["counters"]["modelled_hosts"]}
    loaded = HostModel(preset="skylake-100g").simulated().drain(cores=28)
    assert rows["H1"]["drain_gbps"] == pytest.approx(loaded["gbps"], rel=0.01)
    assert "occupancy (cache lines)" in (report / "report.html").read_text()
