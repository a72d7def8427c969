# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Loop-back tests by Debian's perftest under the meter on soft RoCE, in the tests' virtual machine: the whole chain for real, on
a host with one adapter and one memory."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.perftest_mods.vm.machine import Machine, NoImageError, start
from tuner.document_base.model import build_model
from tuner.documents.inventory import Inventory
from tuner.hostping.diagnosis import HostVerdict
from tuner.hostping.ping import HostPing, PingSettings, ping_hosts

CLIENT = Path(__file__).parents[1] / "hosts/vm_agent.py"

pytestmark = pytest.mark.slow


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
        programs = {"ib_write_bw": "/usr/bin/ib_write_bw"}
        config = json.dumps({"programs": programs, "meter": str(meter), "peers": ["127.0.0.0/8"]})
        written = running.run(f"cat > /run/agent.json <<'END'\n{config}\nEND")
        assert written.code == 0, written.output
        yield running
    finally:
        running.close()


def pinged(machine: Machine, root: Path, busy_cores: float) -> HostPing:
    python = [sys.executable, "-S", "-E"]
    there = [*python, str(root / "perftest_mods/agent/ibcc_agent.py"), "--config", "/run/agent.json"]
    host = {"nodes": "vm", "host": "H1", "device": "rxe0", "address": "127.0.0.1", "tcp_ports": [18600, 18699]}
    document = {
        "ibcc_inventory": 1,
        "name": "vm",
        "fabric": "two-switch",
        "launcher": {"kind": "local"},
        "agent": {"command": [*python, str(CLIENT), str(machine._port), machine._token, *there]},
        "hosts": [host],
    }
    inventory = build_model(Inventory, document)
    settings = PingSettings(seconds=2, lead_s=20, patience_s=300, busy_cores=busy_cores)
    ((row,), _) = ping_hosts(inventory, tuple(inventory.by_node.values()), settings)
    return row


def test_latency_and_bandwidth_of_soft_roce_are_measured(machine: Machine, root: Path) -> None:
    row = pinged(machine, root, busy_cores=1.0)
    assert (row.measured.error, row.measured.not_measured) == (None, {})
    (cell,) = row.measured.cells.values()
    assert cell.latency_us > 1
    assert 0.001 < cell.bandwidth_gbps < 25
    assert "A baseline needs 3 idle hosts" in row.sentence
    assert machine.run("pgrep ib_write_bw").code == 1


def test_a_machine_that_something_else_keeps_busy_has_no_link_named(machine: Machine, root: Path) -> None:
    busy = machine.run("for n in 1 2; do sh -c 'while :; do :; done' >/dev/null 2>&1 & echo $!; done")
    try:
        row = pinged(machine, root, busy_cores=0.8)
    finally:
        machine.run(f"kill {' '.join(busy.output.split())}")
    assert (row.verdict, row.diagnosis, row.measured.cells) == (HostVerdict.UNFIT, None, {})
    assert "processors are busy" in row.sentence
