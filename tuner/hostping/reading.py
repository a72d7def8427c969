# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A host's topology, and how busy it is, from what its agent says (`topology`, `use`). An agent may say anything.

Raises BadInputError with what is wrong wherever an event cannot be read.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tuner.errors import BadInputError
from tuner.hostping.link_use import goodput_gbps
from tuner.hostping.matrix import IDLE_SHARE
from tuner.hostping.topology import HostTopology, PcieDevice, device_link
from tuner.hosts.launchers.base import Event

T = TypeVar("T")
MOST_DEVICES = 256
_GPU_VENDORS = {"cuda": "0x10de", "rocm": "0x1002"}
_RATE = re.compile(r"([0-9]{1,5}(?:\.[0-9])?) Gb/sec")


@dataclass(frozen=True, kw_only=True)
class AdapterPort:
    """An adapter of the host, with the port that is measured."""

    name: str
    ib_port: int
    line_gbps: float | None
    is_ethernet: bool
    why_not: str | None
    """Why it cannot be measured, as the end of a sentence; None: it can."""


@dataclass(frozen=True, kw_only=True)
class HostInside:
    """What a host is made of."""

    topology: HostTopology
    ports: Sequence[AdapterPort]
    memory_nodes: Mapping[str, int]
    """NUMA node of each memory, by the endpoint's name."""
    model: str
    """Hosts with the same model have the same parts in the same places."""
    not_readable: Sequence[Mapping[str, str]]
    """What only root may read, with the command: `what`, `command`."""
    redirected: Sequence[str]
    """Sentences on bridges that send traffic between devices below them through the processor: ACS is on, or looks so."""
    degraded: Sequence[str]
    """Sentences on PCIe links of adapters, and above them, that are slower or narrower than they can be. Idle GPUs save power by
    that, so they are not looked at."""
    gpu_numbers: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Number of each GPU among those of its kind, by kind ("cuda", "rocm") and name, in the order of their PCI addresses."""
    link_gbps: Mapping[str, float] = field(default_factory=dict)
    """What PCIe links of adapters, and above them, carry in a direction, by the link's name."""


@dataclass(frozen=True, kw_only=True)
class HostUse:
    """How busy a host is before it is measured."""

    busy_cores_share: float
    """Of the NUMA node whose processors are busiest, 0 to 1."""
    adapter_gbps: Mapping[str, float]
    """Traffic of each adapter, the larger direction; those that cannot be read are left out."""
    traffic: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Sent and received Gb/s of adapters of which both can be read."""


def read_inside(event: Event) -> HostInside:
    return _read("topology", event, _inside)


def read_use(event: Event) -> HostUse:
    return _read("use", event, _use)


def busy_adapters(use: HostUse, ports: Sequence[AdapterPort]) -> frozenset[str]:
    """Adapters with at least IDLE_SHARE of their line rate."""
    return frozenset(
        port.name
        for port in ports
        if port.line_gbps is not None and use.adapter_gbps.get(port.name, 0.0) >= IDLE_SHARE * port.line_gbps
    )


def _read(what: str, event: Event, reader: Callable[[Event], T]) -> T:
    try:
        return reader(event)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise BadInputError(f"its agent sent a {what} that cannot be read: {type(error).__name__}: {str(error)[:100]}") from None


def _inside(event: Event) -> HostInside:
    nodes = {f"node{_whole(node['node'])}": node for node in _few(event["numa_nodes"])}
    sockets = {
        name: _whole(node["socket"] or 0) for name, node in nodes.items() if node["memory_bytes"] is None or node["memory_bytes"]
    }
    if not sockets:
        sockets, nodes = {"node0": 0}, {}
    socket_of_node = {_whole(node["node"]): _whole(node["socket"] or 0) for node in nodes.values()}
    pci, adapters, gpus = event["pci"], _few(event["adapters"]), _few(event["gpus"])
    slots = Counter(slot for adapter in adapters if (slot := _slot(adapter["bridges"])) is not None)
    topology = HostTopology(
        memories=sockets,
        adapters=[_device(one, pci, socket_of_node, sockets, slots) for one in adapters],
        gpus=[_device(one, pci, socket_of_node, sockets, slots) for one in gpus],
    )
    return HostInside(
        topology=topology,
        ports=[_port(adapter) for adapter in adapters],
        memory_nodes={name: _whole(nodes[name]["node"]) if name in nodes else 0 for name in sockets},
        model=_model(event, adapters, gpus, sockets),
        not_readable=[
            {"what": str(part["what"])[:200], "command": str(part["command"])[:200]} for part in _few(event["not_readable"])
        ],
        redirected=_redirected(pci, [*adapters, *gpus]),
        gpu_numbers={kind: _numbered(gpus, vendor) for kind, vendor in _GPU_VENDORS.items()},
        link_gbps=_link_gbps(topology, adapters, pci),
        degraded=[sentence for name in _chains(adapters) if (sentence := _degraded(name, pci[name])) is not None],
    )


def _few(values: Any) -> list[Any]:
    if not isinstance(values, list) or len(values) > MOST_DEVICES:
        raise ValueError(f"a list of at most {MOST_DEVICES} is expected")
    return values


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 16:
        raise ValueError(f"{value!r} is no number of a node, a socket or a port")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[\w.:-]{1,64}", value, re.ASCII):
        raise ValueError(f"{value!r} is no name")
    return value


def _slot(bridges: Sequence[str]) -> str | None:
    """The functions of one card have one address but for the last digit, and share the card's link."""
    return _text(bridges[-1]).rpartition(".")[0] if bridges else None


def _device(
    said: Mapping[str, Any],
    pci: Mapping[str, Any],
    socket_of_node: Mapping[int, int],
    sockets: Mapping[str, int],
    slots: Mapping[str, int],
) -> PcieDevice:
    name, bridges = _text(said["name"]), [_text(bridge) for bridge in _few(said["bridges"])]
    node = pci[bridges[-1]]["numa_node"] if bridges else None
    above = bridges[:-1]
    shared = above[::2] if len(above) % 2 == 0 or slots.get(_slot(bridges) or "", 0) > 1 else above[:-1][::2]
    return PcieDevice(
        name=name,
        socket=socket_of_node.get(_whole(node), min(sockets.values())) if node is not None else min(sockets.values()),
        root_port=bridges[0] if bridges else name,
        switch_links=tuple(shared),
    )


def _port(adapter: Mapping[str, Any]) -> AdapterPort:
    ports = [port for port in _few(adapter["ports"]) if isinstance(port["port"], int)]
    best = next((port for port in ports if port["state"] == "ACTIVE"), ports[0] if ports else None)
    if best is None:
        return AdapterPort(name=_text(adapter["name"]), ib_port=1, line_gbps=None, is_ethernet=False, why_not="it has no port")
    rate = _RATE.match(str(best["rate"]))
    return AdapterPort(
        name=_text(adapter["name"]),
        ib_port=_whole(best["port"]),
        line_gbps=float(rate.group(1)) if rate else None,
        is_ethernet=best["link_layer"] == "Ethernet",
        why_not=None if best["state"] == "ACTIVE" else f"its port {best['port']} is {best['state']}",
    )


def _model(event: Event, adapters: Sequence[Any], gpus: Sequence[Any], sockets: Mapping[str, int]) -> str:
    said = event["model"]
    machine = " ".join(str(said[key])[:60] for key in ("sys_vendor", "product_name") if said[key]) or "unknown machine"
    boards = Counter(str(adapter["board"] or adapter["type"] or "adapter")[:60] for adapter in adapters)
    parts = [f"{len(sockets)} NUMA nodes", *(f"{count} {board}" for board, count in sorted(boards.items()))]
    if gpus:
        parts.append(f"{len(gpus)} GPUs")
    cpu = [str(said["cpu"])[:80]] if said["cpu"] else []
    return ", ".join([machine, *cpu, *parts])


def _redirected(pci: Mapping[str, Any], devices: Sequence[Mapping[str, Any]]) -> list[str]:
    """Only root can read whether ACS is on; but then the kernel puts devices below one switch into groups of their own."""
    found = []
    groups: dict[str, set[str]] = {}
    for device in devices:
        *above, own = [_text(bridge) for bridge in device["bridges"]] or [""]
        if len(above) > 1 and pci[own]["iommu_group"] is not None:
            groups.setdefault(above[0], set()).add(_text(pci[own]["iommu_group"]))
        found += [f"ACS is on in PCIe bridge {bridge}" for bridge in above if (pci[bridge]["control"] or {}).get("acs") is True]
    many = [port for port, named in groups.items() if len(named) > 1]
    found += [f"devices below root port {port} are in different IOMMU groups, so ACS is on there" for port in many]
    return sorted(set(found))


def _chains(adapters: Sequence[Mapping[str, Any]]) -> list[str]:
    """Adapters and the bridges above them, each once."""
    return sorted({_text(bridge) for adapter in adapters for bridge in _few(adapter["bridges"])})


def _numbered(gpus: Sequence[Mapping[str, Any]], vendor: str) -> dict[str, int]:
    names = sorted(_text(gpu["name"]) for gpu in gpus if gpu["vendor"] == vendor)
    return {name: number for number, name in enumerate(names)}


def _link_gbps(topology: HostTopology, adapters: Sequence[Any], pci: Mapping[str, Any]) -> dict[str, float]:
    """A link between bridges has the speed of the upper one; the adapter's own, that of the adapter."""
    places = {device_link(adapter["name"]): adapter["bridges"][-1] for adapter in adapters if adapter["bridges"]}
    places |= {link: link for device in topology.adapters for link in device.switch_links}
    rates = {
        link: goodput_gbps(pci[at]["link"]["current_link_speed"], pci[at]["link"]["current_link_width"])
        for link, at in places.items()
    }
    return {link: rate for link, rate in rates.items() if rate is not None}


def _degraded(name: str, facts: Mapping[str, Any]) -> str | None:
    link = facts["link"]
    now = [link["current_link_speed"], link["current_link_width"]]
    most = [link["max_link_speed"], link["max_link_width"]]
    if None in now or None in most or now == most or "Unknown" in (now[0], most[0]):
        return None
    return f"PCI device {name[:20]} negotiated {now[0]} x{now[1]}; it can do {most[0]} x{most[1]}"


def _use(event: Event) -> HostUse:
    shares = [event["cpus"]["busy_share"], *event["cpus"]["by_node"].values()]
    rates: dict[str, float] = {}
    traffic: dict[str, tuple[float, float]] = {}
    for port in _few(event["ports"]):
        known = [_number(port[key]) for key in ("sent_gbps", "received_gbps") if port[key] is not None]
        if known:
            rates[_text(port["device"])] = max(known)
        if len(known) == 2:
            traffic[port["device"]] = known[0], known[1]
    return HostUse(
        busy_cores_share=max((_number(share) for share in shares if share is not None), default=0.0),
        adapter_gbps=rates,
        traffic=traffic,
    )


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
        raise ValueError(f"{value!r} is no share or rate")
    return float(value)
