# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric document's SL-to-VL tables and VL arbitration, set on the simulator's fabric once that is routed."""

import ccsim
from tuner.documents.fabric import FabricDocument, NodeNames
from tuner.documents.service_levels import VlTables


def apply_service_levels(document: FabricDocument, fabric: ccsim.Fabric) -> None:
    """Raises ValueError for what the simulator refuses. Routing `fabric` afterwards would undo the SL-to-VL part."""
    nodes = NodeNames(document)
    if (mapping := document.sl_to_vl) is not None:
        if mapping.vls is not None:
            fabric.set_sl_to_vl(None, 0, 1, mapping.vls)
        for override in mapping.overrides:
            node = nodes.node(override.node)
            ports = range(1, document.nodes[node].ports + 1)
            for out_port in ports if override.out_port is None else [override.out_port]:
                for in_port in [0, *ports] if override.in_port is None else [override.in_port]:
                    fabric.set_sl_to_vl(node, in_port, out_port, override.vls)
    if (arbitration := document.vl_arbitration) is not None:
        if arbitration.serves_anything():
            _arbitrate(fabric, None, 0, arbitration)
        for tables in arbitration.overrides:
            node = nodes.node(tables.node)
            for port in range(1, document.nodes[node].ports + 1) if tables.port is None else [tables.port]:
                _arbitrate(fabric, node, port, tables)


def _arbitrate(fabric: ccsim.Fabric, node: int | None, port: int, tables: VlTables) -> None:
    fabric.set_vl_arbitration(
        node,
        port,
        high=[(entry.vl, entry.weight) for entry in tables.high],
        low=[(entry.vl, entry.weight) for entry in tables.low],
        high_limit=tables.high_limit,
    )
