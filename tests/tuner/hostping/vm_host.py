# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The tests' virtual machine as a host with soft RoCE, whose agent measures it by Debian's perftest."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.perftest_mods.vm.machine import Machine, NoImageError, start
from tuner.document_base.model import build_model
from tuner.documents.inventory import Inventory
from tuner.hostping.ping import HostPing, PingSettings, ping_hosts

CLIENT = Path(__file__).parents[1] / "hosts/vm_agent.py"


@contextmanager
def soft_roce_host(root: Path, numa_nodes: int = 1) -> Iterator[Machine]:
    """Skips where there can be none; in CI, that is a failure."""
    meter = root / "build/meter/libibcc_meter.so"
    try:
        if not meter.exists():
            raise NoImageError(f"there is no {meter}: make meter")
        running = start(root / "build/vm", memory_mib=512 * numa_nodes, numa_nodes=numa_nodes)
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
