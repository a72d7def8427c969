# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`tables` and `counters`: what devices hold and have counted, of all nodes or of one."""

from typing import Any

import numpy as np

from tuner.documents import lft
from tuner.emulator.fabric import EmulatedFabric
from tuner.emulator.methods.base import METHODS, Call, Method, NodeParams
from tuner.emulator.nodes import find_node, guid_of


def _tables(emulated: EmulatedFabric, params: NodeParams, call: Call) -> dict[str, Any]:
    wanted = find_node(emulated, params.guid, params.node)
    devices = emulated.emulator.tables()
    return {"devices": [_plain(device) for device in devices if wanted in (None, device["node"])]}


def _plain(device: dict[str, Any]) -> dict[str, Any]:
    """Returns a device in JSON's types: nodes by name, forwarding as runs of ports by LID, as fabric documents have it."""
    plain: dict[str, Any] = _jsonable({key: value for key, value in device.items() if key not in ("node", "forwarding", "guid")})
    plain = {"node": plain.pop("name", None), "guid": f"0x{device['guid']:016x}", **plain}
    if "forwarding" in device:
        ports = device["forwarding"]
        plain["forwarding"] = lft.runs({lid: port for lid, port in enumerate(ports) if lid > 0})
    return plain


def _jsonable(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {str(key): _jsonable(element) for key, element in value.items()}
    if isinstance(value, list | tuple | set):
        return [_jsonable(element) for element in value]
    return value.item() if isinstance(value, np.generic) else value


def _counters(emulated: EmulatedFabric, params: NodeParams, call: Call) -> dict[str, Any]:
    wanted = find_node(emulated, params.guid, params.node)
    columns = {name: column.tolist() for name, column in emulated.emulator.counters().items()}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    names = emulated.document.nodes
    return {
        "ports": [
            row | {"node": names[row["node"]].name, "guid": guid_of(emulated, row["node"])}
            for row in rows
            if wanted in (None, row["node"])
        ]
    }


METHODS.add("tables", Method(NodeParams, _tables))
METHODS.add("counters", Method(NodeParams, _counters))
