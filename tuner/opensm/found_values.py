# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a device was found with, in words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def told_found(row: Mapping[str, Any]) -> Iterator[str]:
    """`row` as PluginClient.as_found has it: clauses with the values that matter most."""
    own_ports, entries, limit = 0, 0, None
    for item in row["items"]:
        held = item["held"]
        if held is None:
            yield f"{item['attribute']} {item['block']} could not be read"
            continue
        match item["attribute"]:
            case "SwitchCongestionSetting":
                masks = [name for name, key in (("victim", "Victim_Mask"), ("credit", "Credit_Mask")) if int(held[key], 16)]
                yield f"threshold {held['Threshold']}, marking rate {held['Marking_Rate']}, packet size {held['Packet_Size']}"
                if masks:
                    yield f"masks: {' and '.join(masks)}"
            case "SwitchPortCongestionSetting":
                own_ports += sum(held["Valid"])
            case "CACongestionSetting":
                yield _told_adapter(held)
            case "CongestionControlTable" if item["has_effect"]:
                limit = max(limit or 0, held["CCTI_Limit"])
                entries += sum(multiplier > 0 for multiplier in held["CCT_Multiplier"])
    if own_ports:
        yield f"{own_ports} {'port has' if own_ports == 1 else 'ports have'} values of their own"
    if limit is not None:
        yield f"table to index {limit}, {'empty' if not entries else f'{entries} delays'}"
    if (nvidia := row.get("nvidia")) is not None:  # null: it was not read; an earlier plugin has no such key
        yield f"NVIDIA's attributes: {'on' if nvidia['on'] else 'off'}, {_told_nvidia(nvidia['items'])}"


def _told_nvidia(items: Sequence[Mapping[str, Any]]) -> str:
    algorithms = [item["algorithm"] for item in items if item["algorithm"] and item["scope"]]
    if algorithms:
        return "PPCC " + ", ".join(f"{number} {major}.{minor}" for number, major, minor in algorithms)
    rates = [item["held"]["rpg_ai_rate"] for item in items if "rpg_ai_rate" in item["held"]]
    return f"rpg_ai_rate {rates[0]}" if rates else f"{len(items)} values"


def _told_adapter(held: Mapping[str, Any]) -> str:
    sls = [sl for sl in range(16) if held["Control_Map"] >> sl & 1]
    if not sls:
        return "no SL"
    values = {(held["CCTI_Timer"][sl], held["CCTI_Increase"][sl]) for sl in sls}
    shown = ", ".join(f"timer {timer} and increase {increase}" for timer, increase in sorted(values)[:2])
    more = ", …" if len(values) > 2 else ""
    level = "SL" if held["Port_Control"] & 1 else "QP"
    return f"{'all SLs' if len(sls) == 16 else f'{len(sls)} SLs'} by {level}, {shown}{more}"
