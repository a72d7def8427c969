# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Names by which a workload may call the hosts of an inventory: those of the inventory, and those of the fabric."""

from collections.abc import Mapping
from types import MappingProxyType

from tuner.documents.flow import Flow
from tuner.documents.hosts import HostDirectory
from tuner.documents.inventory import Inventory
from tuner.documents.workload import Workload
from tuner.errors import BadInputError


class HostNames:
    """Immutable."""

    def __init__(self, inventory: Inventory, directory: HostDirectory) -> None:
        """Raises BadInputError for a host of the inventory that the fabric has not."""
        nodes: dict[str, str] = {}
        guids: dict[str, int] = {}
        for host in inventory.by_node.values():
            try:
                endport = directory.find(host.host)
            except BadInputError as error:
                raise BadInputError(f"inventory '{inventory.name}', node '{host.node}': {error.sentence}") from error
            known = {host.host, directory.reference(endport), *(f"guid:0x{guid:016x}" for guid in endport.guids)}
            if endport.lid is not None:
                known.add(f"lid:{endport.lid}")
            nodes |= dict.fromkeys(known, host.node)
            guids[host.node] = endport.guids[-1]
        self._inventory = inventory
        self.nodes: Mapping[str, str] = MappingProxyType(nodes)
        """The node of each name."""
        self.guids: Mapping[str, int] = MappingProxyType(guids)
        """GUID of each node's port."""

    def of(self, workload: Workload) -> tuple[str, ...]:
        """All names that a workload's flows use, each once, in its order. Raises BadInputError for one that is not in the
        inventory."""
        names = dict.fromkeys(name for flow in workload.flows for name in _references(flow))
        for name in names:
            if name not in self.nodes:
                raise BadInputError(
                    f"workload '{workload.name}' needs host '{name}', which is not in inventory '{self._inventory.name}'"
                )
        return tuple(names)


def _references(flow: Flow) -> tuple[str, ...]:
    return (flow.src, *getattr(flow, "hosts", (flow.dst,)))
