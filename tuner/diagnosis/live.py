# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What is seen of a fabric that runs now, of all its hosts: links by its plugin, and what switches count while they are watched.
No inventory is needed for it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tuner.checks.links.plugin_topology import plugin_ports
from tuner.checks.links.ports import Link, links_of
from tuner.errors import UnreachableError
from tuner.host_triggers.switch_ports import HostPort, SwitchPorts
from tuner.mads.client import MadReader
from tuner.mads.request import PERFORMANCE, SUBNET_LID_ROUTED

MADS_PER_S = 500
PATIENCE_S = 30.0


@dataclass(frozen=True, kw_only=True)
class Watched:
    """`ports`: of the switches to hosts, by GUID and number of the host's port. `links`: all that are active."""

    ports: Mapping[str, HostPort]
    links: tuple[Link, ...]

    @property
    def withholding(self) -> tuple[str, ...]:
        """Names of the hosts that withhold credits."""
        return tuple(dict.fromkeys(port.host.description for port in self.ports.values() if port.withholding is not None))


def watch(
    plugin: Path,
    seconds: int,
    *,
    environment: Mapping[str, str],
    pause: Callable[[float], object],
    on_progress: Callable[[float], None],
) -> Watched:
    """`plugin`: path of its socket. `environment`: of the program that reads by MADs. `pause`: waits some seconds. Raises
    UnreachableError where there is no plugin, no link, or no way to send MADs, and what `pause` and `on_progress` raise."""
    links = tuple(links_of(plugin_ports(plugin, PATIENCE_S)))
    if not links:
        raise UnreachableError("no link is active on the fabric; check that its subnet manager runs")
    ends = {
        f"{peer.guid}/{peer.number}": (end, peer)
        for link in links
        for end, peer in link.ends
        if end.is_switch and not peer.is_switch and end.lid is not None
    }
    with MadReader(classes=[PERFORMANCE, SUBNET_LID_ROUTED], mads_per_s=MADS_PER_S, environment=dict(environment)) as reader:
        ports = SwitchPorts(reader, ends).watch(seconds, pause=pause, on_progress=on_progress)
    return Watched(ports=ports, links=links)
