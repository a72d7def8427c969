# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign from end to end: Debian's perftest under the meter on soft RoCE in a virtual machine, started by the agent, and
profiles through the plugin of a real OpenSM on an emulated fabric. It shows the path and no improvement, as the machine's
traffic does not go through that fabric; and the report has to say so."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.opensm_plugin.conftest import library, load, plugin_bed
from tests.perftest_mods.agent.agent_process import AGENT
from tests.perftest_mods.vm.machine import Machine, NoImageError, start
from tests.tuner.backends.conftest import emulate, standing, two_switch
from tests.tuner.backends.standing import SITE, Standing
from tests.tuner.cli.conftest import Command as RunCommand
from tests.tuner.cli.conftest import command
from tuner.errors import NoFeasibleProfileError

__all__ = ["command", "emulate", "library", "load", "plugin_bed", "standing", "two_switch"]

HOSTS = ("H1", "H2", "H4", "H5")
CLIENT = Path(__file__).with_name("vm_agent.py")

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("infiniband_programs", "library")]


@pytest.fixture(scope="module")
def machine(root: Path) -> Iterator[Machine]:
    meter = root / "build/meter/libibcc_meter.so"
    try:
        if not meter.exists():
            raise NoImageError(f"there is no {meter}: make meter")
        running = start(root / "build/vm")
    except NoImageError as error:
        if os.environ.get("CI") == "true":
            pytest.fail(str(error))
        pytest.skip(str(error))
    try:
        programs = {name: f"/usr/bin/{name}" for name in ("ib_write_bw", "ib_send_bw", "ib_read_bw")}
        config = json.dumps({"programs": programs, "meter": str(meter), "peers": ["127.0.0.0/8"]})
        written = running.run(f"cat > /run/agent.json <<'END'\n{config}\nEND")
        assert written.code == 0, written.output
        yield running
    finally:
        running.close()


def inventory(machine: Machine, root: Path, plugin: Path) -> dict[str, object]:
    """Four hosts, which are all the virtual machine."""
    python = [sys.executable, "-S", "-E"]
    there = [*python, str(AGENT), "--config", "/run/agent.json"]
    return {
        "ibcc_inventory": 1,
        "name": "vm",
        "fabric": "two-switch",
        "launcher": {"kind": "local"},
        "agent": {"command": [*python, str(CLIENT), str(machine._port), machine._token, *there]},
        "hosts": [
            {
                "nodes": host,
                "host": host,
                "device": "rxe0",
                "address": "127.0.0.1",
                "tcp_ports": [18600 + 100 * k, 18699 + 100 * k],
            }
            for k, host in enumerate(HOSTS)
        ],
        "subnet_manager": {"socket": str(plugin)},
    }


CAMPAIGN = {
    "ibcc_campaign": 1,
    "name": "vm",
    "workloads": ["workload.yaml"],
    "backend": "cluster",
    "base": "gran-2010",
    "baseline": "off",
    "expert": "gran-2010",
    "constraints": {},
    "space": {"ca.ccti_timer": {"low": 10, "high": 400}},
    "objectives": ["victim_throughput", "total_throughput"],
    "budget": {"trials": 2},
    "seeds": [1],
    "sampler": {"kind": "random", "seed": 1},
    "parallel": 1,
    "confirmation": {"seeds": [101], "time_scale": 1, "front": 1},
    "hypervolume_reference": {"victim_throughput": 0, "total_throughput": 0},
}
WORKLOAD = {
    "ibcc_workload": 1,
    "name": "pair",
    "fabric": "two-switch",
    "duration_s": 3,
    "sample_interval_s": 0.1,
    "flows": [
        {"name": "F1", "src": "H1", "dst": "H4", "role": "victim", "message_bytes": 8192},
        {"name": "F2", "src": "H2", "dst": "H5", "role": "contributor", "message_bytes": 8192},
    ],
}


def test_a_campaign(machine: Machine, standing: Standing, root: Path, command: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "site.yaml").write_text(json.dumps(inventory(machine, root, standing.plugin)))
    (tmp_path / "workload.yaml").write_text(json.dumps(WORKLOAD))
    (tmp_path / "campaign.yaml").write_text(json.dumps(CAMPAIGN))
    log = tmp_path / "log.jsonl"
    settings = {"inventory": tmp_path / "site.yaml", "lead_s": 30, "settle_s": 0, "record": log}
    words = [word for key, value in settings.items() for word in ("--set", f"backend.{key}={value}")]
    finished = command("tune", tmp_path / "campaign.yaml", "--report", tmp_path / "out", "--output", "json", *words)
    # Which profile is recommended, or none, is left to chance here.
    assert finished.code in (0, NoFeasibleProfileError.exit_code), finished.err
    report = json.loads((tmp_path / "out/report.json").read_text())
    assert report["counts"]["trials"] == 2
    # Before anything else, and in all that people see of it.
    first = "4 of 4 hosts (H1, H2, H4 …) send over Ethernet and not through the InfiniBand fabric whose tables a profile changes"
    assert report["headline"]["sentences"][0].startswith(first)
    assert "says nothing about it" in (tmp_path / "out/report.html").read_text()
    assert first in finished.err
    # Every profile was in the devices, real bytes have flowed under it, and the base is back.
    assert log.exists()
    assert all(trial["metrics"]["total_throughput_gbps"] > 0 for trial in report["trials"])
    assert standing.is_free()
    assert standing.holds(SITE)
    # Nothing is left in the machine.
    assert machine.run("! pgrep -f '[i]b_write_bw|[i]bcc_agent.py'").code == 0
