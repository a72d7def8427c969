# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A night on hosts with Debian's perftest under the meter, on soft RoCE in a virtual machine, started by the agent. Its traffic
does not go through the fabric of the check, and the night has to say so."""

import json
from pathlib import Path

import pytest

from tests.perftest_mods.vm.machine import Machine
from tests.tuner.checks.hosts.test_hosts_of_night import NIGHT
from tests.tuner.cli.conftest import Command
from tests.tuner.hosts.test_vm_campaign import WORKLOAD, inventory, machine

__all__ = ["machine"]

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("infiniband_programs")]

CHECK = {
    "ibcc_check": 1,
    "name": "vm",
    "fabric": "two-switch",
    "hosts": {"inventory": "inventory.yaml", "lead_s": 30, "most_hosts": 4},
    "kinds": [
        {"kind": "fairness", "name": "simulated", "profile": "off", "time_scale": 0.02},
        {"kind": "fairness", "name": "hosts", "backend": "cluster", "workload": "workload.yaml"},
    ],
}


def test_figures_of_the_host_path_stay_out_of_verdict_and_history(
    machine: Machine, root: Path, tmp_path: Path, command: Command
) -> None:
    (tmp_path / "inventory.yaml").write_text(json.dumps(inventory(machine, root, tmp_path / "no-plugin.sock")))
    (tmp_path / "workload.yaml").write_text(json.dumps(WORKLOAD))
    (tmp_path / "site.yaml").write_text(json.dumps(CHECK))
    finished = command("check", "run", tmp_path / "site.yaml", "--history", tmp_path / "h", "--date", NIGHT, "--output", "json")
    document = json.loads(finished.out)
    simulated, hosts = document["entries"]
    assert simulated["values"]
    assert hosts["values"] == {}
    assert hosts["not_run"].startswith("4 of 4 hosts (H[1-2,4-5]) send over Ethernet, and not through this InfiniBand fabric")
    (total,) = (fact for fact in hosts["facts"] if fact.startswith("not of this fabric: total_throughput "))
    assert float(total.split()[-2]) > 0  # real bytes have flowed
    assert finished.code == 3
    stored = json.loads(next((tmp_path / "h/vm").glob("2026-*.json")).read_text())
    assert [entry["values"] == {} for entry in stored["entries"]] == [False, True]
    assert machine.run("! pgrep -f '[i]b_write_bw|[i]bcc_agent.py'").code == 0
