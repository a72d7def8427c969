# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Files of GUIDs that OpenSM's routing engines ask for where they cannot tell by themselves: one a line.

`ftree` and `updn` find the top of a tree by the distance from channel adapters, and are misled by adapters that are up there too,
such as the aggregation nodes inside switches. What helps is `-a` with the switches at the top, and for `ftree` also `-u` with the
ports of the hosts.
"""

from tuner.documents.fabric import FabricDocument, NodeNames
from tuner.documents.hosts import HostDirectory
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.fabric.exporters.base import EXPORTERS, Exported
from tuner.fabric.summary import FabricSummary


class RootGuids:
    """The switches that the document calls `roots`, or else those farthest from hosts."""

    description = "root_guid_file of OpenSM (-a)"

    def export(self, fabric: FabricDocument) -> Exported:
        nodes = NodeNames(fabric)
        return _guids([fabric.guid_of(node) for node in [nodes.switch(root) for root in fabric.roots] or _top(fabric)])


class HostGuids:
    """The ports of hosts: neither aggregation nodes nor routers."""

    description = "cn_guid_file of OpenSM (-u)"

    def export(self, fabric: FabricDocument) -> Exported:
        return _guids([e.guids[-1] for e in HostDirectory(fabric).endports if e.kind == "host"])


def _top(fabric: FabricDocument) -> list[int]:
    levels = [(level or 0, switch) for switch, level in enumerate(FabricSummary(build(fabric)).level_of)]
    highest = max((level for level, _ in levels), default=0)
    if highest < 2:
        raise BadInputError(
            f"fabric '{fabric.name}': hosts are on every switch, so none is above another; name the switches at the top as roots"
        )
    return [switch for level, switch in levels if level == highest]


def _guids(guids: list[int]) -> Exported:
    return Exported("".join(f"0x{guid:016x}\n" for guid in guids))


EXPORTERS.add("root-guids", RootGuids())
EXPORTERS.add("host-guids", HostGuids())
