# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Ports as OpenSM's subnet database has them, through the plugin; no MAD is sent."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tuner.checks.links.ports import Ability, Port
from tuner.opensm.node_names import node_names
from tuner.opensm.plugin_client import PluginClient


def plugin_ports(socket: Path, patience_s: float, known: Mapping[str, str] | None = None) -> list[Port]:
    """`known`: earlier names of nodes by their GUIDs, if there are any. `patience_s`: for a plugin that is silent, and for an
    OpenSM that sweeps. Raises UnreachableError and RpcError."""
    with PluginClient(socket, silence_s=patience_s) as client:
        rows = client.links(patience_s=patience_s)
    names = node_names(rows, known or {})
    return [port_of(row, names[row["guid"]]) for row in rows]


def port_of(row: dict[str, Any], name: str) -> Port:
    """Takes a row of the plugin's method `links`. `name`: of its node."""
    return Port(
        guid=row["guid"],
        number=row["port"],
        is_switch=row["kind"] == "switch",
        description=name,
        lid=row["lid"],
        peer=None if row["peer_guid"] is None else (row["peer_guid"], row["peer_port"]),
        state=row["state"],
        physical=row["physical"],
        active=_ability(row["width"], row["speed"]),
        enabled=_ability(row["width_enabled"], row["speed_enabled"]),
        supported=_ability(row["width_supported"], row["speed_supported"]),
    )


def _ability(width: str | None, speed: str | None) -> Ability:
    return Ability(width=None if width is None else int(width.removesuffix("x")), speed=speed)
