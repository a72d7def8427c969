# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Forwarding tables out of OpenSM's subnet database, as the plugin tells it."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from tuner.fabric.forwarding import Destination, End, Forwarding, SwitchRow, assemble
from tuner.fabric.importers.topology import AGGREGATION_NODE
from tuner.opensm.node_names import node_names
from tuner.opensm.plugin_client import Subnet


def of_subnet(subnet: Subnet, known: Mapping[str, str] = MappingProxyType({})) -> Forwarding:
    """`known`: earlier names of nodes by their GUIDs. Adapters' ports that are not active or have no LID are left out."""
    names = node_names([*subnet.links, *subnet.routes], known)
    adapters = [row for row in subnet.links if row["kind"] != "switch"]
    return assemble(
        [SwitchRow(_guid(row), names[row["guid"]], row["ports"], row["sl2vl"]) for row in subnet.routes],
        [
            Destination(_guid(row), row["port"], names[row["guid"]], row["lid"], _is_host(row))
            for row in adapters
            if row["lid"] is not None and row["state"] == "active"
        ],
        _links(subnet.links),
        {_guid(row): row["lft"] for row in subnet.routes},
        engine=subnet.engine,
        sl_by_path=subnet.sl_by_path,
    )


def _links(rows: Iterable[Mapping[str, Any]]) -> Iterable[frozenset[End]]:
    for row in rows:
        if row["peer_guid"] is not None and row["state"] == "active":
            yield frozenset(((_guid(row), row["port"]), (int(row["peer_guid"], 16), row["peer_port"])))


def _guid(row: Mapping[str, Any]) -> int:
    return int(row["guid"], 16)


def _is_host(row: Mapping[str, Any]) -> bool:
    return bool(row["kind"] == "ca" and row["description"] != AGGREGATION_NODE)
