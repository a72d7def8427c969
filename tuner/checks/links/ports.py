# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Ports as a subnet manager or the fabric itself shows them, and the links between them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

PortKey: TypeAlias = tuple[str, int]
"""Node GUID, `0x` and 16 digits, and port number from 1."""
LinkKey: TypeAlias = tuple[PortKey, PortKey]
"""The ends in ascending order."""

SPEEDS = ("SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR", "XDR")
"""The slowest first."""


@dataclass(frozen=True, kw_only=True)
class Ability:
    """Width and speed that a port's link has, or could have. `width`: in lanes. `speed`: one of SPEEDS. None: unknown."""

    width: int | None
    speed: str | None


@dataclass(frozen=True, kw_only=True)
class Port:
    """`description`: of the node. `lid`: that answers for the port. `peer`: None if nothing is connected that is known.
    `state`: of the link, such as "active"; `physical`: such as "polling"."""

    guid: str
    number: int
    is_switch: bool
    description: str
    lid: int | None
    peer: PortKey | None
    state: str | None
    physical: str | None
    active: Ability
    enabled: Ability
    supported: Ability

    @property
    def key(self) -> PortKey:
        return self.guid, self.number

    @property
    def name(self) -> str:
        return f"{self.description}/{self.number}"


@dataclass(frozen=True)
class Link:
    """A link whose ends are both active. `a` is a switch if one of the ends is."""

    a: Port
    b: Port

    @property
    def key(self) -> LinkKey:
        return link_key(self.a.key, self.b.key)

    @property
    def place(self) -> str:
        return place_of(self.a.name, self.b.name)

    @property
    def ends(self) -> tuple[tuple[Port, Port], tuple[Port, Port]]:
        """Each end with the other one."""
        return (self.a, self.b), (self.b, self.a)


def place_of(a: str, b: str) -> str:
    """Returns the place of a link by the names of its ports."""
    return f"{a} – {b}"


def link_key(a: PortKey, b: PortKey) -> LinkKey:
    return (a, b) if a < b else (b, a)


def links_of(ports: Iterable[Port]) -> list[Link]:
    """Returns the links whose two ends are active and name each other, by their places."""
    active = {port.key: port for port in ports if port.state == "active"}
    found = {}
    for port in active.values():
        peer = active.get(port.peer) if port.peer is not None else None
        if peer is not None and peer.peer == port.key and peer is not port:
            a, b = sorted((port, peer), key=lambda end: (not end.is_switch, end.description, end.key))
            found[link_key(a.key, b.key)] = Link(a, b)
    return sorted(found.values(), key=lambda link: (link.a.description, link.a.number, link.key))
