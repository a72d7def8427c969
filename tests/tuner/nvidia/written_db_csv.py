# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A file as ibdiagnet writes it, of devices that hold what a profile gives them."""

from collections.abc import Iterator
from typing import Any

import ccsim
from ccsim import wire
from ccsim.policy import Tables

VLS = range(4)
_ADAPTER = {"general": "CC_HCA_GENERAL_SETTINGS", "rp": "CC_HCA_RP_PARAMETERS", "np": "CC_HCA_NP_PARAMETERS"}


def written(tables: Tables, fabric: ccsim.Fabric) -> dict[str, list[dict[str, Any]]]:
    """Rows by section, with the columns in ibdiagnet's spelling."""
    found: dict[str, list[dict[str, Any]]] = {"NODES": list(_nodes(fabric))}

    def add(section: str, guid: int, values: dict[str, Any]) -> None:
        found.setdefault(section, []).append({"NodeGUID": f"0x{guid:016x}", **values})

    for switch in tables.switches:
        if "nvidia" not in switch:
            continue
        add("CC_SWITCH_GENERAL_SETTINGS", switch["guid"], {**switch["nvidia"]["general"], "cap_total_buffer_size": 1 << 20})
        for port, values in switch["nvidia"]["ports"].items():
            if fabric.peer(switch["node"], port) is None:
                continue
            for vl in VLS:
                add("CC_PORT_PROFILE_SETTINGS", switch["guid"], {"portNum": port, "vl": vl, **_profile(values["profiles"], vl)})
            mapping = {f"sl{sl}_profile": number for sl, number in enumerate(values["sl_profile"])}
            add("CC_SL_MAPPING_SETTINGS", switch["guid"], {"portNum": port, **mapping})
    for ca in tables.cas:
        if "nvidia" in ca:
            for part, section in _ADAPTER.items():
                add(section, fabric.node_guid(ca["node"]), {"portNum": ca["port"], **ca["nvidia"][part]})
    return found


def text(sections: dict[str, list[dict[str, Any]]], *, end: str = "\n") -> str:
    parts = ["# Running version: ibdiagnet", ""]
    for section, rows in sections.items():
        columns = list(rows[0])
        lines = [",".join(str(row.get(column, "N/A")) for column in columns) for row in rows]
        parts += [f"START_{section}", ",".join(columns), *lines, f"END_{section}", "", ""]
    return end.join(parts)


def _nodes(fabric: ccsim.Fabric) -> Iterator[dict[str, Any]]:
    for node in range(fabric.num_nodes):
        kind = 2 if fabric.node_kind(node) == "switch" else 1
        yield {"NodeDesc": f'"{fabric.node_name(node)}, odd"', "NodeType": kind, "NodeGUID": f"0x{fabric.node_guid(node):016x}"}


def _profile(profiles: list[dict[str, Any]], vl: int) -> dict[str, Any]:
    unmarked = {field.name: 0 for field in wire.attributes()["CongestionPortProfileSettings"].fields if field.name != "vl_mask"}
    wanted = next((one for one in profiles if one["vl_mask"] >> vl & 1), unmarked)
    return {name: value for name, value in wanted.items() if name != "vl_mask"}
