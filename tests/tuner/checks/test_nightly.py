# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The shipped check `nightly`, whole: an emulated fabric with real OpenSM, the real plugin, real agents, and its own traffic."""

import json
import subprocess
import time
from pathlib import Path

import pytest

from tests.patience import within
from tests.perftest_mods.agent.agent_process import free_port
from tests.tuner.hosts.local_cluster import LocalCluster
from tuner.documents.check import load_check

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("infiniband_programs", "library")]

LIMIT_S = 120


def test_a_night_of_all_kinds_takes_less_than_two_minutes(ibcc: Path, tmp_path: Path) -> None:
    LocalCluster(tmp_path, fabric="two-switch-16")
    nightly = load_check("nightly").model_dump(mode="json")
    nightly["kinds"].append({"kind": "hosts", "inventory": str(tmp_path / "inventory.yaml")})
    (tmp_path / "nightly.yaml").write_text(json.dumps(nightly))
    check: list[str | Path] = [ibcc, "check", "run", tmp_path / "nightly.yaml", "--history", tmp_path / "h", "--output", "json"]
    emulate: list[str | Path] = [
        ibcc,
        "emulate",
        "two-switch-16",
        "--socket",
        f"n-{free_port()}",
        "--plugin",
        "--profile",
        "gran-2010",
        "--",
    ]
    began_s = time.monotonic()
    done = subprocess.run([*emulate, *check], capture_output=True, text=True, cwd=tmp_path, timeout=600)
    took_s = time.monotonic() - began_s
    night = json.loads(done.stdout)
    assert [(entry["kind"], entry["not_run"]) for entry in night["entries"]] == [
        (kind, None) for kind in ("tables", "links", "routes", "fairness", "congestion_impact", "sweep", "hosts")
    ]
    assert all(entry["values"] for entry in night["entries"])
    assert done.returncode == 0
    assert [
        one["sentence"] for one in night["remarks"] if "clock is not synchronized" not in one["sentence"]
    ] == []  # of this machine
    assert within(took_s, LIMIT_S)
