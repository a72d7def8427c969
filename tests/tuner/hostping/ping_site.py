# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Hosts on this machine: real agents, each with a made-up /sys and planted rates, and a program that stands in for perftest."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from tests.perftest_mods.agent.agent_process import AGENT, PYTHON
from tests.perftest_mods.agent.made_up_sysfs import MadeUpHost
from tests.ports import Block, block
from tuner.document_base.model import build_model
from tuner.documents.inventory import Inventory
from tuner.hostping.planted import Faults, planted_matrix
from tuner.hostping.topology import HostTopology, PcieDevice

STAND_IN = Path(__file__).with_name("stand_in.py")
PORTS_EACH = 8


def two_adapters() -> HostTopology:
    """Two sockets with an adapter each, as `MadeUpHost(sockets=(0, 1), adapters=(0, 1), gpus=())` has them."""
    return HostTopology(
        memories={"node0": 0, "node1": 1},
        adapters=[
            PcieDevice(name=f"mlx5_{n}", socket=n, root_port=f"0000:{n + 1}0:01.0", switch_links=(f"0000:{n + 1}0:01.0",))
            for n in (0, 1)
        ],
    )


@dataclass
class PingSite:
    """Nodes n1, n2, …; `faults` plants slow links into some of them. `is_quiet`: their processors are idle, whatever else this
    machine does."""

    folder: Path
    count: int
    faults: Mapping[int, Faults] = field(default_factory=dict)
    ports: Block = field(default_factory=block)
    is_quiet: bool = False

    def __post_init__(self) -> None:
        self.agent = self.folder / "agent.py"
        text = without_this_machines_nodes(AGENT.read_text())
        head = "def busy_share(first, last, cpus):\n"
        assert head in text
        self.agent.write_text(text.replace(head, f"{head}    return 0.0\n") if self.is_quiet else text)
        for number in range(1, self.count + 1):
            self.write(number, MadeUpHost(sockets=(0, 1), adapters=(0, 1), gpus=()))
            self.plant(number, self.faults.get(number, Faults()))

    def of(self, number: int) -> Path:
        return self.folder / f"n{number}"

    def write(self, number: int, host: MadeUpHost, **changes: object) -> None:
        folder = self.of(number)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        shutil.copy(STAND_IN, folder / "ib_write_bw")
        (folder / "agent.py").symlink_to(self.agent)
        (folder / "meter.so").touch()
        config = {
            "programs": {"ib_write_bw": str(folder / "ib_write_bw")},
            "meter": str(folder / "meter.so"),
            "sysfs": str(host.write(folder / "sys")),
            "ports": [self.ports.first, self.ports.first + 999],
            "peers": ["127.0.0.0/8"],
            "run_folder": str(folder / "run"),
            "systemd_run": "none",
        }
        (folder / "agent.json").write_text(json.dumps({**config, **changes}))

    def plant(self, number: int, faults: Faults) -> None:
        cells = planted_matrix(two_adapters(), faults, seed=number).cells
        planted: dict[str, dict[str, list[float | None]]] = {}
        for (adapter, endpoint), cell in cells.items():
            planted.setdefault(adapter, {})[endpoint] = [cell.bandwidth_gbps, cell.latency_us]
        (self.of(number) / "planted.json").write_text(json.dumps(planted))

    def replace_agent(self, number: int, program: str) -> None:
        """Another program instead of the agent."""
        (self.of(number) / "agent.py").unlink()
        (self.of(number) / "agent.py").write_text(program)

    @property
    def document(self) -> dict[str, object]:
        own = f"{self.folder}/{{node}}"
        return {
            "ibcc_inventory": 1,
            "name": "site",
            "fabric": "two-switch",
            "launcher": {"kind": "local"},
            "agent": {"command": [PYTHON, "-S", "-E", f"{own}/agent.py", "--config", f"{own}/agent.json"]},
            "hosts": [
                {
                    "nodes": f"n{number}", "host": f"H{number}", "address": "127.0.0.1",
                    "tcp_ports": [first := self.ports.first + PORTS_EACH * (number - 1), first + PORTS_EACH - 1],
                }
                for number in range(1, self.count + 1)
            ],
        }  # fmt: skip

    @property
    def inventory_path(self) -> Path:
        return self.folder / "inventory.yaml"

    @property
    def inventory(self) -> Inventory:
        return build_model(Inventory, self.document)

    def write_inventory(self) -> Path:
        self.inventory_path.write_text(yaml.safe_dump(self.document))
        return self.inventory_path


def without_this_machines_nodes(agent: str) -> str:
    """The agent as it is on a machine whose kernel has the made-up NUMA nodes: only node 0 is bound here."""
    for real, made_up in (
        ('return found & (number_list(allowed.partition(":")[2].strip()) or found)', "return found"),
        ("if libc.syscall(", "if node == 0 and libc.syscall("),
    ):
        assert real in agent
        agent = agent.replace(real, made_up)
    return agent
