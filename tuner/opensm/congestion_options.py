# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A profile as options for opensm.conf: what OpenSM's own congestion control manager, which ships with it, needs to set it.

That manager has one setting for all switches and one for all channel adapters, so it cannot set every profile; one that
it cannot set is refused here rather than set in part. Its options are those of osm_subnet.c in OpenSM 3.3.23.
"""

from collections.abc import Callable, Mapping
from typing import Any

import ccsim
from ccsim.policy import Tables
from tuner.errors import BadInputError

_MAX_ENTRIES = 128
"""Entries of a CCT that OpenSM reads."""
_MAX_LINE = 1023
"""Characters of a line that OpenSM reads; it takes what is beyond for another line."""


def congestion_options(tables: Tables, fabric: ccsim.Fabric) -> str:
    """The lines for opensm.conf. Raises BadInputError for what OpenSM's manager cannot do on this fabric."""
    if tables.has_nvidia:
        raise BadInputError("the profile has the section nvidia, which OpenSM's own manager does not know; leave it out")
    lines = ["congestion_control TRUE"]
    if tables.num_switches:
        lines += _switch_lines(tables, fabric)
    if tables.num_cas:
        lines += _ca_lines(tables, fabric)
    for line in lines:
        if len(line) > _MAX_LINE:
            key = line.split()[0]
            raise BadInputError(f"{key} takes {len(line)} characters; OpenSM reads {_MAX_LINE} of a line and loses the rest")
    return "".join(f"{line}\n" for line in lines)


def _switch_lines(tables: Tables, fabric: ccsim.Fabric) -> list[str]:
    for switch in tables.switches:
        if switch["ports"]:
            raise BadInputError(
                f"switch '{fabric.node_name(switch['node'])}' has other values for ports {sorted(switch['ports'])}; "
                "OpenSM's manager sets no single ports"
            )
    setting = _common(
        "switch", [(switch["node"], _without_masks(switch["setting"])) for switch in tables.switches], fabric.node_name
    )
    shift, multiplier = setting["cs_return_delay"]
    values = {
        "control_map": f"0x{setting['control_map']:x}",
        "victim_mask": _mask(_common_ports("victim_mask", tables, fabric)),
        "credit_mask": _mask(_common_ports("credit_mask", tables, fabric)),
        "threshold": setting["threshold"],
        "packet_size": setting["packet_size"],
        "credit_starvation_threshold": setting["cs_threshold"],
        "credit_starvation_return_delay": f"{shift}:{multiplier}",
        "marking_rate": setting["marking_rate"],
    }
    return [f"cc_sw_cong_setting_{key} {value}" for key, value in values.items()]


def _ca_lines(tables: Tables, fabric: ccsim.Fabric) -> list[str]:
    settings = [(ca["node"], {**ca["setting"], "cct": ca["cct"]}) for ca in tables.cas]
    setting = _common("channel adapter", settings, fabric.node_name)
    cct = setting["cct"]
    entries = cct["entries"]
    if len(entries) > _MAX_ENTRIES:
        raise BadInputError(f"the CCT has {len(entries)} entries; OpenSM's manager takes at most {_MAX_ENTRIES}")
    if len(entries) != cct["ccti_limit"] + 1 and any(entry != (0, 0) for entry in entries):
        raise BadInputError(
            f"the CCT has {len(entries)} entries and a CCTI_Limit of {cct['ccti_limit']}; "
            "OpenSM's manager makes the last entry the limit"
        )
    if cct["limit_mode"] != "final" and len(entries) > 64:
        raise BadInputError(f"limit_mode is {cct['limit_mode']}; OpenSM's manager writes the final CCTI_Limit into every block")
    lines = [
        f"cc_ca_cong_setting_port_control 0x{setting['port_control']:x}",
        f"cc_ca_cong_setting_control_map 0x{setting['control_map']:x}",
    ]
    for key in ("ccti_timer", "ccti_increase", "trigger_threshold", "ccti_min"):
        lines += [f"cc_ca_cong_setting_{key} {sl} {values[key]}" for sl, values in enumerate(setting["sls"])]
    return [*lines, "cc_cct " + ",".join(f"{shift}:{multiplier}" for shift, multiplier in entries)]


def _common(what: str, settings: list[tuple[int, dict[str, Any]]], name: Callable[[int], str]) -> dict[str, Any]:
    """The setting that all of a kind have. Raises BadInputError where two differ."""
    first_node, first = settings[0]
    for node, setting in settings:
        if setting != first:
            key = next(key for key in first if setting[key] != first[key])
            raise BadInputError(
                f"{what}s '{name(first_node)}' and '{name(node)}' differ in {key}; OpenSM's manager has one value for all"
            )
    return first


def _without_masks(setting: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in setting.items() if not key.endswith("_mask")}


def _common_ports(key: str, tables: Tables, fabric: ccsim.Fabric) -> list[int]:
    """A mask that does for every switch: one with a port too many is right where nothing is plugged in there."""
    ports = sorted({port for switch in tables.switches for port in switch["setting"][key]})
    for switch in tables.switches:
        node, own = switch["node"], switch["setting"][key]
        wrong = [
            port
            for port in ports
            if port not in own and 0 < port <= fabric.node_num_ports(node) and fabric.peer(node, port) is not None
        ]
        if wrong:
            raise BadInputError(
                f"{key} would have to hold port {wrong[0]} for some switches and not for '{fabric.node_name(node)}'; OpenSM's "
                f"manager has one mask for all, such as that of switch.{key}=all or none"
            )
    return ports


def _mask(ports: list[int]) -> str:
    return f"0x{sum(1 << port for port in ports):064x}"
