# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A cluster on this machine: real agents by the local launcher, a program that stands in for perftest, and no RDMA device."""

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from ccsim.policy import Profile
from tests.perftest_mods.agent.agent_process import AGENT, PYTHON
from tests.ports import Block, block
from tuner.documents.fabric import load_fabric
from tuner.documents.hosts import HostDirectory
from tuner.hosts.driver import FabricControl
from tuner.hosts.perftest_driver import PerftestDriver
from tuner.measuring.options import BackendOptions

STAND_IN = Path(__file__).with_name("stand_in.py")
OFF_GBPS = {"H1": 2.0, "H2": 6.0, "H3": 6.0}
CANARY_GBPS = {"H1": 0.1, "H2": 0.1, "H3": 7.0, "H4": 0.1, "H5": 0.1}
"""H3 is deaf."""
CURED_GBPS = {"H1": 8.0, "H2": 5.0, "H3": 5.0}


@dataclass
class LocalCluster:
    """Files of `folder`; a device for each host of two-switch, H1 to H7, whose name it has."""

    folder: Path
    link_layer: str = "InfiniBand"
    hosts: tuple[str, ...] = ("H1", "H2", "H3", "H4", "H5")
    changes: dict[str, Any] = field(default_factory=dict)
    """Changes to the inventory."""
    agent_changes: dict[str, Any] = field(default_factory=dict)
    """Changes to the agents' configuration."""
    command: list[str] | None = None
    fabric: str = "two-switch"
    ports: Block = field(default_factory=block)
    programs: tuple[str, ...] = ("ib_write_bw",)
    """Each is started twice on every host before anything is measured."""

    def __post_init__(self) -> None:
        for program in self.programs:
            shutil.copy(STAND_IN, self.folder / program)
            (self.folder / program).chmod(0o755)
        (self.folder / "meter.so").touch()
        self.rates(OFF_GBPS)
        directory = HostDirectory(load_fabric(self.fabric))
        for host in self.hosts:
            port = self.folder / "sysfs" / host / "ports/1"
            (port / "gids").mkdir(parents=True)
            digits = f"{directory.find(host).guids[-1]:016x}"
            words = ":".join(digits[k : k + 4] for k in range(0, 16, 4))
            (port / "gids/0").write_text(f"fe80:0000:0000:0000:{words}\n")
            (port / "state").write_text("4: ACTIVE\n")
            (port / "link_layer").write_text(f"{self.link_layer}\n")
        config = {
            "programs": {name: str(self.folder / name) for name in self.programs},
            "meter": str(self.folder / "meter.so"),
            "sysfs": str(self.folder / "sysfs"),
            "ports": [self.first_port, self.first_port + 999],
            "peers": ["127.0.0.0/8"],
            "run_folder": str(self.folder / "run"),
            "systemd_run": "none",
            **self.agent_changes,
        }
        (self.folder / "agent.json").write_text(json.dumps(config))
        agent = self.command or [PYTHON, "-S", "-E", str(AGENT), "--config", str(self.folder / "agent.json")]
        document = {
            "ibcc_inventory": 1,
            "name": "local",
            "fabric": self.fabric,
            "launcher": {"kind": "local"},
            "agent": {"command": agent},
            # One machine: the hosts share its ports, so each has some of its own.
            "hosts": [
                {
                    "nodes": host, "host": host, "device": host, "address": "127.0.0.1",
                    "tcp_ports": [self.first_port + 100 * k, self.first_port + 100 * k + 99],
                }
                for k, host in enumerate(self.hosts)
            ],
            **self.changes,
        }  # fmt: skip
        self.inventory.write_text(yaml.safe_dump(document))

    @property
    def first_port(self) -> int:
        return self.ports.first

    @property
    def inventory(self) -> Path:
        return self.folder / "inventory.yaml"

    def rates(self, by_device: dict[str, Any]) -> None:
        """What each sender's device gets from now on."""
        whole = {host: by_device.get(host, 1.0) for host in self.hosts}
        new = self.folder / "rates.new"
        new.write_text(json.dumps(whole))
        new.replace(self.folder / "rates.json")

    def options(self, **settings: Any) -> BackendOptions:
        named = {f"backend.{key}": value for key, value in settings.items()}
        own = {"backend.inventory": str(self.inventory), "backend.settle_s": 0, "backend.lead_s": 2}
        return BackendOptions(settings={**own, **named})

    def driver(self, options: BackendOptions) -> "LocalDriver":
        return LocalDriver(self, options)


class LocalDriver(PerftestDriver):
    """Its fabric is a file: the rates."""

    def __init__(self, cluster: LocalCluster, options: BackendOptions) -> None:
        super().__init__(options)
        self._cluster = cluster

    def fabric(self, options: BackendOptions, *, ttl_s: int) -> FabricControl:
        return FabricOfRates(self._cluster)


@dataclass
class FabricOfRates:
    """Congestion control on or off is what the stand-ins' rates are."""

    cluster: LocalCluster
    base: str = "off"

    def take(self) -> None: ...

    def require(self, profile: Profile) -> None: ...

    def put(self, profile: Profile) -> None:
        under = CANARY_GBPS if profile.name == "canary" else CURED_GBPS if profile.enable else OFF_GBPS
        self.cluster.rates(under)

    def check(self) -> None: ...

    def restore(self) -> None:
        self.cluster.rates(OFF_GBPS)

    def release(self) -> None:
        self.restore()
