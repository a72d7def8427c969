# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric document made into the simulator's fabric, routed, with the way back from its indices to the document's names."""

from dataclasses import dataclass

import ccsim
from tuner.documents.fabric import FabricDocument, NodeNames
from tuner.documents.hosts import Endport, HostDirectory
from tuner.documents.lft import entries
from tuner.errors import BadInputError
from tuner.fabric.service_levels import apply_service_levels
from tuner.fabric.subnets import subnets


@dataclass(frozen=True)
class BuiltFabric:
    """`fabric`'s node indices are the document's node numbers."""

    document: FabricDocument
    fabric: ccsim.Fabric
    hosts: HostDirectory

    def endport(self, reference: str) -> int:
        """The simulator's index of the endport that a workload's reference names. Raises BadInputError."""
        return self._index(self.hosts.find(reference))

    def require_route(self, src: str, dst: str) -> None:
        """Raises BadInputError, saying where the route ends, if packets from `src` do not reach `dst`."""
        ends = self.hosts.find(src), self.hosts.find(dst)
        if ends[0] == ends[1]:
            raise BadInputError(f"'{src}' and '{dst}' are the same host; a flow needs two")
        self.require_subnet(src, dst)
        if sentence := self._unreachable(*ends):
            raise BadInputError(f"host '{dst}' cannot be reached: {sentence}")

    def require_subnet(self, src: str, dst: str) -> None:
        """Raises BadInputError if two hosts are in different subnets, such as planes or rails."""
        ends = self.hosts.find(src), self.hosts.find(dst)
        if sentence := self.not_joined(*ends, names=(src, dst)):
            raise BadInputError(sentence)

    def not_joined(self, src: Endport, dst: Endport, *, names: tuple[str, str] | None = None) -> str | None:
        """A sentence where two endports are in different subnets, else None. `names`: what the hosts are called in it."""
        own, other = (self.document.subnets.get((one.node, one.port)) for one in (src, dst))
        if own == other or own is None or other is None:
            return None
        groups = {one.number: one.group for one in subnets(self.document)}
        routed = groups[own] is not None and groups[own] == groups[other]
        why = "packets that routers carry between subnets are not simulated" if routed else "no link joins them"
        source, host = names or (self.document.nodes[src.node].name, self.document.nodes[dst.node].name)
        return f"host '{host}' cannot be reached: it is in subnet {other}, and '{source}' is in subnet {own}; {why}"

    def unreachable(self) -> list[str]:
        """A sentence for each host that some host of its subnet cannot reach; empty if all reach each other. Nothing goes between
        subnets, such as planes or rails.

        A route is the same for all sources behind one switch from there on, so one source a switch is tried.
        """
        hosts = {self._index(endport): endport for endport in self.hosts.endports if endport.kind == "host"}
        by_leaf = {self.fabric.peer(host.node, host.port): index for index, host in hosts.items()}
        sources = {leaf[0]: index for leaf, index in by_leaf.items() if leaf is not None}
        subnet_of = {index: self._subnet(host) for index, host in hosts.items()}
        blocked = self.fabric.unreachable(list(sources.values()))
        first_blocked = {dst: src for src, dst in blocked if subnet_of[src] == subnet_of.get(dst)}
        by_host = {hosts[i].node: i for i in reversed(hosts) if i in first_blocked}
        sentences = [self._unreachable(hosts[first_blocked[i]], hosts[i]) for i in reversed(by_host.values())]
        return [sentence for sentence in sentences if sentence]

    def credit_loop(self, num_vls: int = 0) -> str | None:
        """A cycle of buffers that can wait for each other for ever, spelled out; None if the routes cannot deadlock.

        `num_vls`: data VLs of the devices; as many as the routing needs are taken if that is more.
        """
        loop = self.fabric.credit_loop(num_vls=num_vls)
        return None if loop is None else self.spelled_out(loop)

    def spelled_out(self, cycle: list[tuple[int, int, int]]) -> str:
        """A cycle of (node, port, VL), the first again at the end."""
        return " -> ".join(f"{self.fabric.node_name(node)}/{port} VL {vl}" for node, port, vl in [*cycle, cycle[0]])

    def _subnet(self, endport: Endport) -> int:
        return self.document.subnets[endport.node, endport.port]

    def _unreachable(self, src: Endport, dst: Endport) -> str | None:
        try:
            self.fabric.route(self._index(src), self._index(dst))
        except RuntimeError as error:
            return str(error)
        return None

    def _index(self, endport: Endport) -> int:
        return self.fabric.endport(endport.node, endport.port)


def build(document: FabricDocument) -> BuiltFabric:
    """Builds and routes. Raises BadInputError for what the simulator refuses, and for forwarding entries that do not fit."""
    built = connected(document)
    route(built)
    return built


def connected(document: FabricDocument) -> BuiltFabric:
    """Builds without routes, for `route`. Raises BadInputError for what the simulator refuses."""
    try:
        return BuiltFabric(document, _connected(document), HostDirectory(document))
    except ValueError as error:
        raise _refused(document, error) from error


def route(built: BuiltFabric) -> None:
    """Routes by the document's routing, tables and service levels; those of before are gone. Raises BadInputError as `build`."""
    document, fabric = built.document, built.fabric
    nodes = NodeNames(document)
    try:
        fabric.route_by(document.routing, roots=[nodes.switch(root) for root in document.roots])
        _apply_lfts(built)
        _apply_forwarding(built)
        apply_service_levels(document, fabric)
    except ValueError as error:
        raise _refused(document, error) from error


def _refused(document: FabricDocument, error: ValueError) -> BadInputError:
    return BadInputError(f"fabric '{document.name}': {error}")


def _connected(document: FabricDocument) -> ccsim.Fabric:
    fabric = ccsim.Fabric(mtu_bytes=document.mtu_bytes)
    for i, node in enumerate(document.nodes):
        fabric.add_node(node.name, node.kind, guid=document.guid_of(i), num_ports=node.ports)
    for link, a, b in document.ends():
        fabric.connect(a.node, a.port, b.node, b.port, rate=link.rate, propagation_ns=link.delay_ns)
    for i, host in enumerate(document.hosts, start=len(document.switches)):
        if host.inject_gbps is not None or host.receive_gbps is not None:
            fabric.set_host_limits(i, inject_gbps=host.inject_gbps, receive_gbps=host.receive_gbps)
    for place, model in document.modelled_hosts().items():
        fabric.set_host_model(len(document.switches) + place, model)
    for i, switch in enumerate(document.switches):
        if switch.at:
            fabric.set_coordinates(i, switch.at)
    for i, congestion_control in enumerate(document.device_congestion_control()):
        dialect = congestion_control.dialect
        if dialect != "a10":
            fabric.set_dialect(i, "none" if dialect == "unknown" else dialect)
    for endport in HostDirectory(document).endports:
        fabric.set_port_guid(endport.node, endport.port, endport.guids[-1])
    return fabric


def _apply_lfts(built: BuiltFabric) -> None:
    """LIDs that are not those of host ports are the switches' own, further paths of a port, or nobody's: no flow goes there."""
    if not built.document.lfts:
        return
    nodes = NodeNames(built.document)
    endports = built.hosts.endports
    subnets = built.document.subnets
    index_of = {  # LIDs are those of one subnet
        (subnets[endport.node, endport.port], endport.lid): built.fabric.endport(endport.node, endport.port)
        for endport in endports
        if endport.lid
    }
    for name, table in built.document.lfts.items():
        switch = nodes.node(name)
        for lid, port in entries(table):
            if (endport := index_of.get((subnets.get((switch, 0), 0), lid))) is not None:
                try:
                    built.fabric.set_forward(switch, endport, port)
                except ValueError as error:
                    raise built.document.bad_forwarding(name, f"lid:{lid}", str(error), key="lfts") from error


def _apply_forwarding(built: BuiltFabric) -> None:
    nodes = NodeNames(built.document)
    for switch, routes in built.document.forwarding.items():
        for host, port in routes.items():
            try:
                built.fabric.set_forward(nodes.node(switch), built.endport(host), port)
            except BadInputError as error:
                raise built.document.bad_forwarding(switch, host, error.sentence) from error
            except ValueError as error:
                raise built.document.bad_forwarding(switch, host, str(error)) from error
