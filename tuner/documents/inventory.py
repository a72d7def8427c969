# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Inventory documents (`ibcc_inventory: 1`): the hosts of a cluster, how to reach them, and which port of the fabric each has."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, Field, model_validator

from tuner.document_base.model import MOST_HOSTS, DocumentModel, ListOf, Within, misplaced, unknown_name, validate
from tuner.document_base.yaml_core import read_document
from tuner.documents import catalogue
from tuner.documents.flow import Name
from tuner.documents.inventory_abort_if import AbortLimits
from tuner.documents.inventory_canary import CanarySettings
from tuner.documents.inventory_maintenance import MaintenanceWindow
from tuner.documents.launchers import AnyLauncher, Template, filled_in
from tuner.documents.node_sets import NODE, expand
from tuner.documents.registry import DOCUMENTS
from tuner.errors import BadInputError

_DEVICE = r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$"

AGENT_COMMAND = ("/usr/bin/python3", "-IS", "/usr/lib/ibcc/ibcc_agent.py")
"""Command that runs the agent from the place where docs/operate/hosts.md has administrators put it."""


def _nodes(text: str) -> str:
    expand(text)
    return text


NodeSetText: TypeAlias = Annotated[str, AfterValidator(_nodes)]
"""As ClusterShell writes sets of nodes, without groups: what a document means must not depend on a machine's group files."""


class GpuOptions(DocumentModel):
    """How the memory of a host's GPUs is tested."""

    program: Annotated[str, Field(pattern=_DEVICE)]
    """Name in `programs` of the hosts' agent.json of an ib_write_bw that the site has built for its GPUs."""
    kind: Literal["cuda", "rocm"]
    """What it was built for: `cuda` for NVIDIA's GPUs, `rocm` for AMD's."""


class HostGroup(DocumentModel):
    """Hosts that differ in their names only."""

    nodes: NodeSetText
    """Their names as the launcher knows them, as a NodeSet: `node[01-16]`."""
    host: Template = "{node} HCA-1"
    """Name of their port on the fabric: the node description, or `guid:0x…` for a single node."""
    address: Template = "{node}"
    """Address at which other hosts reach them by TCP, for the exchange before the traffic; often the name on an IPoIB network."""
    device: Annotated[str, Field(pattern=_DEVICE)] = "mlx5_0"
    """The channel adapter, as `ibstat -l` lists it."""
    ib_port: Annotated[int, Within(1, 254)] = 1
    gid_index: Annotated[int, Within(0, 255)] | None = None
    """Needed on RoCE only."""
    tcp_ports: ListOf[Annotated[int, Within(1024, 65535)]] = (18515, 20000)
    """First and last port for that exchange."""
    gpus: GpuOptions | None = None
    """How the memory of their GPUs is tested by `ibcc hosts ping`; null: it is not measured."""

    @model_validator(mode="after")
    def _has_a_range_of_ports(self) -> "HostGroup":
        if len(self.tcp_ports) != 2 or self.tcp_ports[0] > self.tcp_ports[1]:
            raise misplaced(f"tcp_ports are {list(self.tcp_ports)}; the first and the last one are expected", "tcp_ports")
        return self


@dataclass(frozen=True)
class InventoryHost:
    """One port of one host."""

    node: str
    """Its name for the launcher."""
    host: str
    """Its name on the fabric, as workloads have it."""
    address: str
    device: str
    ib_port: int
    gid_index: int | None
    tcp_ports: tuple[int, int]
    gpus: GpuOptions | None = None


class AgentOptions(DocumentModel):
    """The host agent, perftest_mods/agent."""

    command: Annotated[ListOf[Name], Field(min_length=1)] = AGENT_COMMAND
    """Program and arguments. With a forced command in authorized_keys, sshd runs that one instead."""


class SubnetManager(DocumentModel):
    """Place of the OpenSM that runs ibcc's plugin."""

    socket: Name = "/run/ibcc/opensm.sock"
    """The plugin's Unix socket."""
    node: Annotated[str, Field(pattern=f"^{NODE.pattern}$")] | None = None
    """The host that it is on, reached through ssh; without it, this machine."""


class Inventory(DocumentModel):
    """Hosts of a fabric, each with its node and port. Two entries never stand for one node, nor for one port of the fabric."""

    ibcc_inventory: Literal[1]
    name: Name
    fabric: Name
    """A packaged fabric's name, or a path relative to this document."""
    launcher: AnyLauncher
    agent: AgentOptions = AgentOptions()
    hosts: Annotated[ListOf[HostGroup], Field(min_length=1)]
    subnet_manager: SubnetManager = SubnetManager()
    maintenance: ListOf[MaintenanceWindow] = ()
    """Times at which campaigns may run; without any, they always may."""
    canary: CanarySettings = CanarySettings()
    """Settings of the test that finds out which adapters throttle."""
    abort_if: AbortLimits = AbortLimits()
    """Limits that abort a measurement at once."""

    @model_validator(mode="after")
    def _names_each_host_once(self) -> "Inventory":
        _by_key(self.hosts, lambda host: host.node, "node")
        _by_key(self.hosts, lambda host: host.host, "host")
        return self

    @cached_property
    def by_node(self) -> Mapping[str, InventoryHost]:
        """Hosts by node, in the document's order."""
        return MappingProxyType(_by_key(self.hosts, lambda host: host.node, "node"))

    @cached_property
    def by_host(self) -> Mapping[str, InventoryHost]:
        """Hosts by their name on the fabric."""
        return MappingProxyType(_by_key(self.hosts, lambda host: host.host, "host"))

    def find(self, host: str) -> InventoryHost:
        """The host of that name on the fabric. Raises BadInputError with names near it."""
        if host not in self.by_host:
            raise BadInputError(f"{unknown_name('host', host, list(self.by_host), MOST_HOSTS)} (inventory '{self.name}')")
        return self.by_host[host]

    def select(self, nodes: str) -> tuple[InventoryHost, ...]:
        """The hosts of a NodeSet. Raises BadInputError for one that is none or has nodes of which nothing is known here."""
        try:
            wanted = expand(nodes)
        except ValueError as error:
            raise BadInputError(f"the set of nodes {error}") from error
        for node in wanted:
            if node not in self.by_node:
                raise BadInputError(f"{unknown_name('node', node, list(self.by_node), MOST_HOSTS)} (inventory '{self.name}')")
        return tuple(self.by_node[node] for node in wanted)

    def only(self, nodes: Sequence[str], **changes: Any) -> "Inventory":
        """The same with these of its nodes, in this order, and with `changes` of its keys."""
        groups = tuple(
            HostGroup(
                nodes=host.node,
                host=host.host,
                address=host.address,
                device=host.device,
                ib_port=host.ib_port,
                gid_index=host.gid_index,
                tcp_ports=host.tcp_ports,
                gpus=host.gpus,
            )
            for host in (self.by_node[node] for node in nodes)
        )
        kept = {name: getattr(self, name) for name in type(self).model_fields}
        return Inventory(**kept | {"hosts": groups} | changes)


def _by_key(groups: tuple[HostGroup, ...], key: Callable[[InventoryHost], str], what: str) -> dict[str, InventoryHost]:
    found: dict[str, InventoryHost] = {}
    for i, group in enumerate(groups):
        for host in _hosts(group):
            if (name := key(host)) in found:
                first = found[name].node
                both = f"nodes '{first}' and '{host.node}' are both" if first != host.node else f"node '{host.node}' is twice"
                raise misplaced(f"{both} {what} '{name}'; each stands for itself", "hosts", i)
            found[name] = host
    return found


def _hosts(group: HostGroup) -> list[InventoryHost]:
    return [
        InventoryHost(
            node=node,
            host=filled_in(group.host, node),
            address=filled_in(group.address, node),
            device=group.device,
            ib_port=group.ib_port,
            gid_index=group.gid_index,
            tcp_ports=(group.tcp_ports[0], group.tcp_ports[1]),
            gpus=group.gpus,
        )
        for node in expand(group.nodes)
    ]


def load_inventory(path_or_name: str | Path) -> Inventory:
    """Reads an inventory by path or by the name of a packaged one. Its `fabric` comes back as something that is found from
    anywhere. Raises BadInputError."""
    path = catalogue.find("inventory", path_or_name)
    read = validate(Inventory, read_document(path))
    changes: dict[str, Any] = {"fabric": catalogue.anchored(read.fabric, path.parent)}
    return read.model_copy(update=changes)


DOCUMENTS.add("inventory", Inventory)
