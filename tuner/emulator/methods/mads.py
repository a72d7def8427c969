# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`mads`: how many MADs have set out, by class, method and attribute: what a manager costs a fabric. And the
attribute modifiers that devices did not know."""

from typing import Any

from tuner.document_base.model import DocumentModel
from tuner.emulator.attributes import SMA, attribute_name, class_name
from tuner.emulator.fabric import EmulatedFabric
from tuner.emulator.methods.base import METHODS, Call, Method
from tuner.emulator.nodes import guid_of

_NAMES = {0x01: "Get", 0x02: "Set", 0x03: "Send", 0x05: "Trap", 0x06: "Report", 0x07: "TrapRepress", 0x81: "GetResp"}
_SMP_DIRECTED, _SA = 0x81, 0x03


class MadsParams(DocumentModel):
    clear: bool = False
    """Start over."""


def _mads(emulated: EmulatedFabric, params: MadsParams, call: Call) -> dict[str, Any]:
    now_ns, rows = emulated.emulator.mads(clear=params.clear)
    return {
        "now_s": now_ns / 1e9,
        "mads": [
            {
                "class": "SA" if row["mgmt_class"] == _SA else class_name(_agent(row["mgmt_class"])),
                "method": _NAMES.get(row["method"], f"0x{row['method']:02x}"),
                "attribute": attribute_name(_agent(row["mgmt_class"]), row["attribute"]),
                "count": row["count"],
                "first_s": row["first_ns"] / 1e9,
                "last_s": row["last_ns"] / 1e9,
                "directed": row["mgmt_class"] == _SMP_DIRECTED,
            }
            for row in rows
        ],
        "unknown_modifiers": [
            {
                "node": emulated.document.nodes[row["node"]].name,
                "guid": guid_of(emulated, row["node"]),
                "class": class_name(row["mgmt_class"]),
                "method": _NAMES.get(row["method"], f"0x{row['method']:02x}"),
                "attribute": attribute_name(row["mgmt_class"], row["attribute"]),
                "modifier": f"0x{row['modifier']:08x}",
                "count": row["count"],
            }
            for row in emulated.emulator.unknown_modifiers(clear=params.clear)
        ],
    }


def _agent(mgmt_class: int) -> int:
    return SMA if mgmt_class == _SMP_DIRECTED else mgmt_class


METHODS.add("mads", Method(MadsParams, _mads))
