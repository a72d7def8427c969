# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a verdict is made from. None: it was not read, or the device does not count it."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class PortSeen:
    """An output port, over the time in which traffic crossed it.

    `name`, `peer`: such as "S1/3" and "H5/1". `to_host`, `from_host`: what is at its ends. `wait_share`: of that time, with data
    and without credits (PortXmitWait). `sent_gbps`: with headers. `line_gbps`: of the link's speed now. `can_gbps`: of the speed
    that both ends can, or that the link usually has, or that others like it have; `by` says which, after "slower than".
    `usual_gbps`: what the host at its end is known to take, or to send, where that is less than the line."""

    name: str
    peer: str
    to_host: bool = False
    from_host: bool = False
    wait_share: float | None = None
    sent_gbps: float | None = None
    line_gbps: float | None = None
    can_gbps: float | None = None
    by: str = "both of its ends can"
    usual_gbps: float | None = None

    @property
    def host(self) -> str:
        """Name of the host at its end."""
        return (self.peer if self.to_host else self.name).rpartition("/")[0]

    @property
    def filled(self) -> float | None:
        """Part of the line, or of what its host usually does, that is sent."""
        if self.sent_gbps is None or self.line_gbps is None:
            return None
        return self.sent_gbps / min(self.line_gbps, self.usual_gbps or self.line_gbps)

    @property
    def is_degraded(self) -> bool:
        return self.line_gbps is not None and self.can_gbps is not None and self.line_gbps < 0.99 * self.can_gbps


@dataclass(frozen=True, kw_only=True)
class FlowSeen:
    """`gbps`: payload received. `wanted_gbps`: what it would send; None: all that it can get. `ports`: names of the output ports
    on its way, that of the sending host first; that alone for a flow whose destinations change. `becns`: for each packet.
    `active_share`: of the time in which traffic crosses its sender's port, in which it sends."""

    name: str
    src: str
    dst: str
    gbps: float
    wanted_gbps: float | None = None
    ports: tuple[str, ...] = ()
    becns: float | None = None
    active_share: float = 1.0


@dataclass(frozen=True, kw_only=True)
class InsideSeen:
    """Inside a host. None: it does not count that, or nobody has asked it.

    `without_credits_share`: of the time, in which its adapter waited for PCIe credits. `pcie_gbps`: payload that the adapter's
    PCIe link carries as it is now. `load_gbytes_per_s`: memory bandwidth of all that runs there, without the adapter's own
    writes. `memory_gbytes_per_s`: what its memory carries at most. `load`: what runs there, in words. `faults`: sentences on
    settings and links inside that are wrong whatever runs."""

    without_credits_share: float | None = None
    pcie_gbps: float | None = None
    load_gbytes_per_s: float | None = None
    memory_gbytes_per_s: float | None = None
    load: str = ""
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class HostLinkSeen:
    """A link inside a host that loop-back tests name, or several of which one is slow. `where`: in words. `kind`: of fault, such
    as "host-link-failed". `advice`: what to do."""

    host: str
    where: str
    kind: str
    slow_paths: int
    advice: str


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """`flows`: None: not known, so that only ports tell. `drifted`: by device, how its values differ from those that it should
    hold; None: not compared."""

    ports: tuple[PortSeen, ...]
    flows: tuple[FlowSeen, ...] | None = ()
    drifted: Mapping[str, str] | None = None
    inside: Mapping[str, InsideSeen] = field(default_factory=dict)
    host_links: tuple[HostLinkSeen, ...] = ()
