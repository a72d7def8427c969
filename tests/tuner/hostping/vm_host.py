# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The tests' virtual machine as a host with soft RoCE, whose agent measures it by Debian's perftest."""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.perftest_mods.agent.agent_process import AGENT
from tests.perftest_mods.vm.machine import Machine, NoImageError, start
from tests.perftest_mods.vm.pci_tree import RoceCard
from tuner.document_base.model import build_model
from tuner.documents.inventory import Inventory
from tuner.hostping.asking import ask, the
from tuner.hostping.baselines import WRONG_FROM, BaselineCell, HostBaselines, ModelBaseline
from tuner.hostping.ping import HostPing, PingSettings, ping_hosts
from tuner.hostping.reading import HostInside
from tuner.hosts.launchers.base import Event, Request, open_launcher

LOOPBACK = "127.0.0.1"
CLIENT = Path(__file__).parents[1] / "hosts/vm_agent.py"


@contextmanager
def soft_roce_host(root: Path, numa_nodes: int = 1, cards: Sequence[RoceCard] = ()) -> Iterator[Machine]:
    """Without cards, soft RoCE is on the loopback, whose addresses are peers by the agent's configuration; with them, the cards'
    own networks are. Skips where there can be none; in CI, that is a failure."""
    meter = root / "build/meter/libibcc_meter.so"
    try:
        if not meter.exists():
            raise NoImageError(f"there is no {meter}: make meter")
        running = start(root / "build/vm", memory_mib=512 * numa_nodes, numa_nodes=numa_nodes, cards=cards)
    except NoImageError as error:
        if os.environ.get("CI") == "true":
            pytest.fail(str(error))
        pytest.skip(str(error))
    try:
        programs = {"ib_write_bw": "/usr/bin/ib_write_bw"}
        config = {"programs": programs, "meter": str(meter), "peers": None if cards else ["127.0.0.0/8"]}
        written = running.run(f"cat > /run/agent.json <<'END'\n{json.dumps(config)}\nEND")
        assert written.code == 0, written.output
        yield running
    finally:
        running.close()


def inventory_document(machine: Machine, root: Path, *, address: str = LOOPBACK, user: Sequence[str] = ()) -> dict[str, object]:
    """An inventory of this machine. `user`: a program that becomes another user than root, and its arguments."""
    python = [sys.executable, "-S", "-E"]
    there = [*user, *python, str(AGENT), "--config", "/run/agent.json"]
    return {
        "ibcc_inventory": 1,
        "name": "vm",
        "launcher": {"kind": "local"},
        "agent": {"command": [*python, str(CLIENT), str(machine._port), machine._token, *there]},
        "hosts": [{"nodes": "vm", "host": "H1", "device": "rxe0", "address": address, "tcp_ports": [18600, 18699]}],
    }


def vm_inventory(machine: Machine, root: Path, *, address: str = LOOPBACK, user: Sequence[str] = ()) -> Inventory:
    document = inventory_document(machine, root, address=address, user=user)
    return build_model(Inventory, {**document, "fabric": "two-switch"})


def answer(machine: Machine, root: Path, request: Request, *, user: Sequence[str] = ()) -> Event:
    """What the agent in the machine says to a request of one answer."""
    inventory = vm_inventory(machine, root, user=user)
    launcher = open_launcher(inventory.launcher, inventory.agent.command)
    return the(request["op"], ask(launcher, "vm", request, 300 * machine.slowness, lambda: False))


def settings_for(machine: Machine, busy_cores: float) -> PingSettings:
    """Long, as an emulated processor takes its time to start programs, and longer where others have this one."""
    slowness = machine.slowness
    return PingSettings(seconds=2 * slowness, lead_s=20 * slowness, patience_s=300 * slowness, busy_cores=busy_cores)


def pinged(
    machine: Machine, root: Path, busy_cores: float, *, address: str = LOOPBACK, baselines: HostBaselines | None = None
) -> HostPing:
    inventory = vm_inventory(machine, root, address=address)
    settings = settings_for(machine, busy_cores)
    ((row,), _) = ping_hosts(inventory, tuple(inventory.by_node.values()), settings, baselines=baselines)
    return row


def slower_by(inside: HostInside, link: str) -> ModelBaseline:
    """A baseline of a host's model beside which all paths over `link` are slow, and all others are not, whatever soft RoCE
    reaches: others of the model carry 1,000 Gb/s there, and next to nothing elsewhere."""
    topology = inside.topology
    rates = {True: 1000.0, False: 0.0001}
    cells = [
        BaselineCell(
            adapter=adapter, endpoint=endpoint, bandwidth_gbps=rates[link in topology.path(adapter, endpoint)], latency_us=1e6
        )
        for adapter in topology.adapter_names
        for endpoint in topology.endpoints
    ]
    return ModelBaseline(model=inside.model, date="2026-01-31", hosts=WRONG_FROM, cells=tuple(cells))


ANTAGONISTS = {
    "processors": "while :; do :; done",
    "memory": 'exec python3 -SE -c "\nblock = bytearray(64 << 20)\nwhile True:\n    copied = bytes(block)"',
}


@contextmanager
def antagonist(machine: Machine, what: str) -> Iterator[None]:
    """Something on the second processor, which a NUMA node has for itself: bound by processors or by memory."""
    begun = machine.run(f"taskset 2 sh -c '{ANTAGONISTS[what]}' >/dev/null 2>&1 & echo $!")
    try:
        yield
    finally:
        machine.run(f"kill {begun.output.strip()}")
