# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""GPCNeT's recipe on hosts with Debian's perftest under the meter, on soft RoCE in a virtual machine: that a queue depth of one
message makes a latency, and that everything ends."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.perftest_mods.vm.machine import Machine
from tests.tuner.checks.test_kinds import NIGHT
from tests.tuner.hosts.test_vm_campaign import inventory, machine
from tuner.checks.hosts.tonight import TonightHosts
from tuner.checks.observe import observed
from tuner.documents.check_kinds import CongestionImpact
from tuner.documents.inventory import load_inventory

__all__ = ["machine"]

pytestmark = pytest.mark.slow
FABRIC = "two-switch-16"


def test_rings_incast_and_broadcast_of_real_perftest(machine: Machine, root: Path, tmp_path: Path) -> None:
    document = inventory(machine, root, tmp_path / "no-plugin.sock") | {"fabric": FABRIC}
    place = {"device": "rxe0", "address": "127.0.0.1"}
    document["hosts"] = [
        {"nodes": f"H{k}", "host": f"H{k}", **place, "tcp_ports": [18600 + 20 * k, 18619 + 20 * k]} for k in range(1, 11)
    ]
    (tmp_path / "inventory.yaml").write_text(json.dumps(document))
    hosts = TonightHosts(
        inventory=load_inventory(tmp_path / "inventory.yaml"),
        how="a virtual machine",
        until=datetime.now(UTC) + timedelta(minutes=20),
        lead_s=60,
    )
    observation = observed(CongestionImpact(backend="cluster", rings=1), replace(NIGHT, fabric=FABRIC, hosts=hosts))
    assert observation.not_run is None
    found = {metric.name: value for metric, value in observation.metrics}
    latency_us = found["isolated_latency_average"]
    bandwidth = found["isolated_bandwidth_average"]
    assert latency_us is not None
    assert bandwidth is not None
    # Not the speed of an emulated processor, which depends on what else runs, but more than no device needs, and some traffic.
    assert 0.1 < latency_us < 0.5e6
    assert bandwidth > 0.01
    assert all(value is not None and value > 1 for name, value in found.items() if name.startswith("impact_"))
    assert machine.run("! pgrep -f '[i]b_write_bw|[i]bcc_agent.py'").code == 0
