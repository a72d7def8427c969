# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a device holds as ibccquery reads and decodes it: another's program, in the form that `devices.py` compares."""

import re
from collections.abc import Iterator
from typing import Any

from tests.emulator.clients import Clients

LAST_PORT = 31
"""ibccquery takes a block of SwitchPortCongestionSetting for 48 elements where it has 32, so it never shows the ports behind."""

_FIELD = re.compile(r"^(?P<name>[A-Za-z_]+):\.+(?P<value>\S+)$", re.MULTILINE)


def switch(clients: Clients, lid: int) -> dict[str, Any]:
    """SwitchCongestionSetting, and the elements of SwitchPortCongestionSetting that are valid."""
    (setting,) = _groups(clients.output("ibccquery", "SwitchCongestionSetting", lid), "Control_Map")
    delay = int(setting["CS_ReturnDelay"], 0)
    ports = {
        int(port["Port"]): {
            "control_type": int(port["Control_Type"]),
            "threshold": int(port["Threshold"], 0),
            "packet_size": int(port["Packet_Size"]),
            "marking_rate": int(port["Cong_Parm_Marking_Rate"]),
        }
        for port in _groups(clients.output("ibccquery", "SwitchPortCongestionSetting", lid), "Port")
        if port["Valid"] == "1" and int(port["Port"]) <= LAST_PORT
    }
    return {
        "setting": {
            "control_map": int(setting["Control_Map"], 0),
            "victim_mask": _ports(setting["Victim_Mask"]),
            "credit_mask": _ports(setting["Credit_Mask"]),
            "threshold": int(setting["Threshold"], 0),
            "packet_size": int(setting["Packet_Size"]),
            "cs_threshold": int(setting["CS_Threshold"], 0),
            "cs_return_delay": (delay >> 14, delay & 0x3FFF),
            "marking_rate": int(setting["Marking_Rate"]),
        },
        "ports": ports,
    }


def adapter(clients: Clients, lid: int) -> dict[str, Any]:
    """CACongestionSetting, and all blocks of the CongestionControlTable."""
    told = clients.output("ibccquery", "CACongestionSetting", lid)
    (whole, *_), sls = list(_groups(told, "Port_Control")), list(_groups(told, "SL"))
    names = {"CCTI_Timer": "ccti_timer", "CCTI_Increase": "ccti_increase", "Trigger_Threshold": "trigger_threshold"}
    names |= {"CCTI_Min": "ccti_min"}
    table = clients.output("ibccquery", "CongestionControlTable", lid)
    ((limit,),) = (list(group.values())[:1] for group in _groups(table, "CCTI_Limit"))
    entries = [(int(entry["CCT_Shift"]), int(entry["CCT_Multiplier"])) for entry in _groups(table, "Entry")]
    while entries and entries[-1] == (0, 0):
        entries.pop()
    return {
        "setting": {
            "port_control": int(whole["Port_Control"], 0),
            "control_map": int(whole["Control_Map"], 0),
            "sls": [{names[name]: int(value) for name, value in sl.items() if name in names} for sl in sls],
        },
        "cct": {"ccti_limit": int(limit), "entries": entries},
    }


def _groups(told: str, first: str) -> Iterator[dict[str, str]]:
    """Fields by name, from each that is called `first` up to the next."""
    group: dict[str, str] = {}
    for match in _FIELD.finditer(told):
        if match["name"] == first:
            if group:
                yield group
            group = {first: match["value"]}
        elif group:
            group.setdefault(match["name"], match["value"])
    if group:
        yield group


def _ports(mask: str) -> list[int]:
    """Returns the ports of a mask in hexadecimal digits."""
    bits = int(mask, 16)
    return [port for port in range(256) if bits >> port & 1]
