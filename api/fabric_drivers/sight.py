# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The devices and links of a fabric as its subnet manager has them at one moment, for `api.watch`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

Key: TypeAlias = tuple[str, int]
"""(GUID of the node as `0x` and 16 digits, port); the port of a switch as a device is 0."""
LinkKey: TypeAlias = tuple[Key, Key]
"""Both ends of a link, the lesser first."""

Condition: TypeAlias = Literal["present", "timing-out", "drifted", "not-ready", "missing", "unknown"]
"""`unknown`: the device is there, and nothing else is known of it."""

KNOWING_ROLES = ("master", "sweep-failed", "halted", "conflict")
"""Roles of the plugin in which its OpenSM is MASTER, so that it knows which devices and links there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenDevice:
    name: str
    kind: Literal["switch", "ca"]
    condition: Condition
    drifts: int
    """How often the device was found to hold other values, since its OpenSM started."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenLink:
    """A link whose ends see each other."""

    names: tuple[str, str]
    """Descriptions of the nodes at both ends."""
    rate: str | None
    """Width and speed, such as `4xNDR`."""


@dataclass(frozen=True)
class Manager:
    """Another subnet manager than the one that is asked."""

    guid: str
    """GUID of its port."""
    priority: int
    state: str
    """`not-active`, `discovering`, `standby` or `master`."""


@dataclass(frozen=True)
class Between:
    """Devices, links and roles that changed between two sights, as the plugin's events told: the sights alone do not show a host
    that was lost and is back. Each sequence is in the order of the events."""

    nodes: Mapping[str, Sequence[bool]] = field(default_factory=dict)
    """Whether the node was there, by GUID."""
    links: Mapping[LinkKey, Sequence[bool]] = field(default_factory=dict)
    """Whether the link was up; without those of a node that was lost or back."""
    roles: Sequence[str] = ()
    """Roles of the plugin."""
    managers: Sequence[Sequence["Manager"]] = ()
    """The other subnet managers, each time that OpenSM found others than before."""


NOTHING_BETWEEN = Between()


@dataclass(frozen=True, kw_only=True, eq=False)
class Sight:
    """One look at a fabric. A lookout returns the same object again as long as nothing has changed."""

    role: str
    """Role of the plugin, as in its status."""
    devices: Mapping[Key, SeenDevice]
    links: Mapping[LinkKey, SeenLink] | None
    """None: they cannot be read at this moment, as while OpenSM sweeps."""
    audited_at_s: float | None
    """Seconds since 1970: each device that supports congestion control has reported its tables at this time or later. None: some
    have not yet."""

    between: Between = NOTHING_BETWEEN
    """Changes since the lookout's sight before this one."""

    @property
    def knows(self) -> bool:
        """True if the subnet manager that was asked knows the fabric: it is MASTER."""
        return self.role in KNOWING_ROLES


class Lookout(Protocol):
    """A connection that looks at one fabric again and again; for one thread at a time."""

    def look(self) -> Sight:
        """Takes milliseconds where nothing has changed. Raises UnreachableError; the lookout is of no use afterwards."""

    def descriptor(self) -> int | None:
        """Returns a file descriptor that can be read as soon as there is news, so that a look is worth while; None: there is no
        such thing, or news may wait in memory. A look reads all of it."""

    def close(self) -> None:
        """Idempotent."""


def link_key(one: Key, other: Key) -> LinkKey:
    return (one, other) if one <= other else (other, one)
