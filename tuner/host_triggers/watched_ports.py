# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The switches' ports to an inventory's hosts, watched on a real or an emulated fabric: for `ibcc hosts triggers` and `ibcc
fabric diagnose`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeAlias

from tuner.checks.links.discovered_topology import discovered_ports
from tuner.checks.links.plugin_topology import plugin_ports
from tuner.checks.links.ports import links_of
from tuner.documents.check_kinds import Links
from tuner.documents.inventory import Inventory, InventoryHost
from tuner.host_triggers.switch_ports import HostPort, SwitchPorts, ports_to_hosts
from tuner.hosts.remote_socket import RemoteSocket
from tuner.mads.client import MadReader
from tuner.mads.request import PERFORMANCE, SUBNET_LID_ROUTED

Topology: TypeAlias = Literal["plugin", "discover"]
MADS_PER_S = 500


def watched_ports(
    inventory: Inventory,
    hosts: Sequence[InventoryHost],
    *,
    topology: Topology,
    socket: Path | None,
    environment: Mapping[str, str],
    seconds: int,
    on_progress: Callable[[float], None],
) -> dict[str, HostPort]:
    """By host; those that the fabric has no link to are left out. `environment`: of the programs that read."""
    options, environment = Links(topology=topology), dict(environment)
    with MadReader(classes=[PERFORMANCE, SUBNET_LID_ROUTED], mads_per_s=MADS_PER_S, environment=environment) as reader:
        if topology == "discover":
            ports = discovered_ports(reader, options, environment)
        else:
            with _plugin(inventory, socket) as path:
                ports = plugin_ports(path, options.patience_s)
        ends = ports_to_hosts(links_of(ports), {host.host: _guid(host) for host in hosts})
        return SwitchPorts(reader, ends).watch(seconds, on_progress=on_progress)


@contextmanager
def _plugin(inventory: Inventory, socket: Path | None) -> Iterator[Path]:
    """Path of the plugin's socket here."""
    manager = inventory.subnet_manager
    if socket is not None or manager.node is None:
        yield socket or Path(manager.socket)
        return
    tunnel = RemoteSocket(manager.node, manager.socket)
    try:
        yield tunnel.open()
    finally:
        tunnel.close()


def _guid(host: InventoryHost) -> int | None:
    return int(host.host.removeprefix("guid:"), 16) if host.host.startswith("guid:") else None
