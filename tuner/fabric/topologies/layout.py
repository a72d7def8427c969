# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Collects the switches, hosts and links of a fabric in the making. Nodes are called by their names."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tuner.documents.fabric import Host, Link, Switch


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Numbers of a fabric's hosts, switches and links."""

    hosts: int
    switches: int
    links: int
    """Links to hosts included."""


@dataclass(frozen=True)
class LinkSettings:
    """Properties that all links of one sort have in common."""

    rate: str
    propagation_ns: float | None
    length_m: float | None


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Append-only; nothing is checked here that FabricDocument checks."""

    host_links: LinkSettings
    switch_links: LinkSettings
    inject_gbps: float | None = None
    receive_gbps: float | None = None
    switches: list[Switch] = field(default_factory=list)
    hosts: list[Host] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)

    def switch(self, name: str, ports: int, at: Sequence[int] = ()) -> str:
        """Adds a switch, at its coordinates where it has such, and returns its name."""
        self.switches.append(Switch(name=name, ports=ports, at=tuple(at)))
        return name

    def host(self, switch: str, port: int) -> str:
        """Adds the next host, H1, H2, … in the order of the calls, on a port of a switch, and returns its name."""
        name = f"H{len(self.hosts) + 1}"
        self.hosts.append(Host(name=name, inject_gbps=self.inject_gbps, receive_gbps=self.receive_gbps))
        self._link(f"{name}/1", f"{switch}/{port}", self.host_links)
        return name

    def link(self, a: str, port_a: int, b: str, port_b: int) -> None:
        """Joins two switches."""
        self._link(f"{a}/{port_a}", f"{b}/{port_b}", self.switch_links)

    def _link(self, a: str, b: str, settings: LinkSettings) -> None:
        length = {"propagation_ns": settings.propagation_ns, "length_m": settings.length_m}
        self.links.append(Link(a=a, b=b, rate=settings.rate, **length))
