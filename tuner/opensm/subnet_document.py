# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric document of OpenSM's subnet database as it is at this moment, as the plugin tells it: nodes, links, LIDs, routes."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from tuner.documents.congestion_control import Dialect
from tuner.errors import UnreachableError
from tuner.fabric.importers.base import Imported
from tuner.fabric.importers.congestion_control import GUESSED
from tuner.fabric.importers.lft_dump import Entry, SwitchTable
from tuner.fabric.importers.routes import with_routes
from tuner.fabric.importers.topology import AGGREGATION_NODE, Kind, Node, Port, Topology
from tuner.opensm.plugin_client import Subnet

FORMAT = "OpenSM"
SOURCE = "OpenSM's subnet database"
_NO_PORT = 255
_DEFAULT_MTU = 4096


def of_subnet(subnet: Subnet, *, name: str, devices: Iterable[Mapping[str, Any]] = ()) -> Imported:
    """Links that are down are left out. `devices`: what the plugin knows of devices, as PluginClient.devices; its answers decide
    which congestion control they have. Raises BadInputError where the database contradicts itself, and UnreachableError without
    any node in it."""
    if not subnet.links:
        raise UnreachableError("OpenSM has no node in its subnet database; wait until its first sweep has ended")
    topology = _Topology(subnet.links)
    for row in devices:
        if (node := topology.nodes.get(row["guid"])) is not None:
            node.dialect = _DIALECTS.get(row.get("dialect") or "")
            node.vendor_id, node.device_id = (_number(row.get(key)) for key in ("vendor_id", "device_id"))
    mtus = Counter(row["mtu"] for row in subnet.links if row["mtu"] is not None)
    fabric = topology.document(name, mtus.most_common(1)[0][0] if mtus else _DEFAULT_MTU)
    if not subnet.complete:
        fabric = fabric.model_copy(update={"incomplete": "OpenSM's last sweep ended with errors"})
    remarks = topology.remarks.all()
    notes = [*_notes(subnet, mtus), *topology.notes]
    tables = [_table(line, row) for line, row in enumerate(subnet.routes, start=1)]
    if not any(table.entries for table in tables):
        return Imported(
            fabric, FORMAT, (*notes, "OpenSM has told no forwarding tables; the simulator routes the fabric"), remarks
        )
    fabric, more = with_routes(fabric, tables, source=SOURCE)
    return Imported(fabric, FORMAT, (*notes, *more), remarks)


def _notes(subnet: Subnet, mtus: Counter[int]) -> Iterator[str]:
    engine = subnet.engine or "unknown"
    yield f"routed by OpenSM's engine {engine}: its forwarding tables as the switches have them"
    if not subnet.complete:
        yield "OpenSM's last sweep ended with errors, so nodes or links may be missing"
    if len(mtus) > 1:
        values = ", ".join(f"{mtu} bytes at {count} ports" for mtu, count in mtus.most_common())
        yield f"links have several MTUs ({values}); the commonest is that of the fabric"
    if any(row["sl2vl"] is not None for row in subnet.routes):
        yield "SL-to-VL tables are left out"


class _Topology(Topology[Port]):
    """Lines are the numbers of rows."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        super().__init__(SOURCE)
        last: dict[str, int] = {}
        for row in rows:
            last[row["guid"]] = max(last.get(row["guid"], 0), row["port"])
        down = 0
        for line, row in enumerate(rows, start=1):
            node = self.nodes.get(row["guid"]) or self.add_node(_node(row, line, last[row["guid"]]))
            if row["peer_guid"] is not None and row["width"] is not None and row["speed"] is not None:
                lid = None if node.kind == "switch" else row["lid"]
                peer = (row["peer_guid"], row["peer_port"])
                self.add_port(node, row["port"], Port(line=line, peer=peer, lid=lid, rate=f"{row['width']}{row['speed']}"))
            elif row["peer_guid"] is not None:
                down += 1
        if down:
            self.notes.append(f"{down} ports with a cable are down and were left out")


_DIALECTS: Mapping[str, Dialect] = MappingProxyType({"a10": "a10", "nvidia": GUESSED, "both": "both", "none": "none"})
"""Dialects of documents by the plugin's."""


def _number(text: str | None) -> int | None:
    return None if text is None else int(text, 16)


def _node(row: Mapping[str, Any], line: int, ports: int) -> Node[Port]:
    kinds: dict[str, Kind] = {"switch": "switch", "router": "router"}
    name = row["description"] or row["guid"]
    kind = "aggregation" if name == AGGREGATION_NODE else kinds.get(row["kind"], "host")
    lid = row["lid"] if kind == "switch" else None
    return Node(row["guid"], kind, name, line, ports, int(row["guid"], 16), lid)


def _table(line: int, row: Mapping[str, Any]) -> SwitchTable:
    entries = {lid: Entry(line, port, None) for lid, port in enumerate(row["lft"] or b"") if lid and port != _NO_PORT}
    return SwitchTable(line, int(row["guid"], 16), row["lid"], entries)
