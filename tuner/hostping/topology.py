# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A host as a graph: sockets with memory and root ports, and below these the adapters and GPUs. A path is the links on its way.

A link between two PCIe bridges has the name of the upper one, so that between a root port and the first switch below it is the
root port's; the last one above an adapter or a GPU is the device's. An adapter that is plugged into a root port has one link.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from tuner.errors import BadInputError


class LinkKind(StrEnum):
    ADAPTER = "adapter"
    GPU = "gpu"
    SWITCH = "switch"
    """Between two PCIe switches."""
    ROOT_PORT = "root-port"
    SOCKET_BUS = "socket-bus"
    """Between two sockets: UPI, xGMI."""
    MEMORY = "memory"


@dataclass(frozen=True, kw_only=True)
class PcieDevice:
    """An adapter or a GPU."""

    name: str
    socket: int
    root_port: str
    """Name of the root port; devices of one root port share it."""
    switch_links: tuple[str, ...] = ()
    """Links between the root complex and the device that other devices can share, the root port's first; its own is not in it."""


@dataclass(frozen=True, kw_only=True)
class HostTopology:
    """Raises BadInputError if two things have one name, or a device is at a socket without memory."""

    memories: Mapping[str, int]
    """Socket of each NUMA node's memory, by the node's name. A socket can have several nodes."""
    adapters: Sequence[PcieDevice]
    gpus: Sequence[PcieDevice] = ()
    is_line_rate_across_sockets: bool = True
    """False for models of machines whose adapters do not reach line rate with the memory of another socket."""
    _by_name: Mapping[str, PcieDevice] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        names = [*self.memories, *(device.name for device in (*self.adapters, *self.gpus))]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise BadInputError(f"'{twice[0]}' stands twice in the topology; each adapter, GPU and memory has a name of its own")
        for device in (*self.adapters, *self.gpus):
            if device.socket not in self.memories.values():
                raise BadInputError(
                    f"'{device.name}' is at socket {device.socket}; sockets with memory are {sorted(set(self.memories.values()))}"
                )
        object.__setattr__(self, "_by_name", {device.name: device for device in (*self.adapters, *self.gpus)})

    @property
    def adapter_names(self) -> tuple[str, ...]:
        return tuple(adapter.name for adapter in self.adapters)

    @property
    def endpoints(self) -> tuple[str, ...]:
        """Memories, then GPUs."""
        return (*self.memories, *(gpu.name for gpu in self.gpus))

    @cached_property
    def kinds(self) -> Mapping[str, LinkKind]:
        """Kind of each link, by the link's name. Links on no path are in it too."""
        found = dict.fromkeys((memory_link(name) for name in self.memories), LinkKind.MEMORY)
        sockets = sorted(set(self.memories.values()))
        found |= {socket_bus(one, other): LinkKind.SOCKET_BUS for one in sockets for other in sockets if one < other}
        for devices, kind in ((self.adapters, LinkKind.ADAPTER), (self.gpus, LinkKind.GPU)):
            for device in devices:
                found |= {
                    name: LinkKind.SWITCH if place else LinkKind.ROOT_PORT for place, name in enumerate(device.switch_links)
                }
                found[device_link(device.name)] = kind
        return found

    def path(self, adapter: str, endpoint: str) -> frozenset[str]:
        """Names of the links between an adapter and an endpoint. Two devices below one switch do not use what is above it."""
        near = self._by_name[adapter]
        if endpoint in self.memories:
            return frozenset((*_way_up(near), *_between(near.socket, self.memories[endpoint]), memory_link(endpoint)))
        far = self._by_name[endpoint]
        if near.root_port == far.root_port:
            return frozenset(_way_up(near)) ^ frozenset(_way_up(far))
        return frozenset((*_way_up(near), *_between(near.socket, far.socket), *_way_up(far)))

    def way_up(self, device: PcieDevice) -> tuple[str, ...]:
        """Names of the links between a device and its socket, the root port's first."""
        return _way_up(device)

    def is_affinitive(self, adapter: str, endpoint: str) -> bool:
        """True if the adapter reaches line rate there when all is well: the paper's affinitive endpoints."""
        near = self._by_name[adapter]
        if endpoint in self.memories:
            return self.is_line_rate_across_sockets or self.memories[endpoint] == near.socket
        return self._by_name[endpoint].root_port == near.root_port

    def affinitive_endpoints(self, adapter: str) -> tuple[str, ...]:
        return tuple(endpoint for endpoint in self.endpoints if self.is_affinitive(adapter, endpoint))

    def links_under_root_port_of(self, adapter: str) -> frozenset[str]:
        """The links of all devices that share the adapter's root port."""
        root_port = self._by_name[adapter].root_port
        return frozenset(link for device in self._by_name.values() if device.root_port == root_port for link in _way_up(device))

    def describe(self, link: str) -> str:
        """A link for a sentence."""
        name = link.partition(":")[2]
        match self.kinds[link]:
            case LinkKind.ADAPTER:
                return f"the PCIe link of adapter {name}"
            case LinkKind.GPU:
                return f"the PCIe link of GPU {name}"
            case LinkKind.SWITCH:
                return f"the link below PCIe bridge {link}"
            case LinkKind.ROOT_PORT:
                return f"root port {link}"
            case LinkKind.SOCKET_BUS:
                return f"the bus between sockets {name}"
            case LinkKind.MEMORY:
                return f"the memory of node {name}"


def device_link(device: str) -> str:
    return f"pcie:{device}"


def memory_link(memory: str) -> str:
    return f"memory:{memory}"


def socket_bus(one: int, other: int) -> str:
    return f"sockets:{min(one, other)}-{max(one, other)}"


def _way_up(device: PcieDevice) -> tuple[str, ...]:
    return (*device.switch_links, device_link(device.name))


def _between(one: int, other: int) -> tuple[str, ...]:
    return () if one == other else (socket_bus(one, other),)
