# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A short campaign on a real fabric of 582 adapter ports: 32 contributors, 32 victims."""

import json
from pathlib import Path

import pytest

from tests.tuner.backends.test_ndr_incast import fabric, workload  # noqa: F401  # fixtures
from tuner.cli.main import run
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload

CAMPAIGN = """\
ibcc_campaign: 1
name: incast-32
workloads: [./incast-32.json]
base: ./base.yaml
space:
  ca.ccti_timer: {low: 20, high: 40}
  switch.marking_rate: {low: 5, high: 20}
  cct.curve.full_scale_packet_times: {low: 100.0, high: 160.0}
constraints: {contributor_total: {at_least: 0.9}}
budget: {trials: 3}
parallel: 2
confirmation: {seeds: [101]}
hypervolume_reference: {victim_throughput: 10, treatment_variation: 1000}
"""


def test_a_campaign_on_an_imported_fabric(
    workload: Workload,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("incast-32.json").write_text(workload.model_dump_json(exclude_none=True))
    base = load_profile(
        "gran-2010", {"name": "ndr", "link.rate_gbps": 400, "link.mtu_bytes": 4096, "cct.curve.full_scale_packet_times": 128}
    )
    Path("base.yaml").write_text(base.to_yaml())
    Path("campaign.yaml").write_text(CAMPAIGN)
    assert run(["tune", "campaign.yaml", "--report", "out"]) == 0, capsys.readouterr().err
    report = json.loads(Path("out/report.json").read_text())
    victim = {role: report[role]["metrics"]["victim_throughput_gbps"] for role in ("baseline", "recommended")}
    assert victim["recommended"] > 2 * victim["baseline"]
    assert report["recommended"]["headroom"][0]["contributors"] == 32
    # Of so many flows the figure shows the roles.
    assert "32 contributors, mean and range" in Path("out/report.html").read_text()
