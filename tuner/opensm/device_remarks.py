# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Remarks on the faults of a device, in words."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_CCT_BLOCK, _PORT_BLOCK = 64, 32
"""Entries of a block of the CCT, and ports of a block of SwitchPortCongestionSetting."""


def device_remarks(row: Mapping[str, Any]) -> Iterator[str]:
    """`row` as PluginClient.devices has it. Nothing of a device that holds what it should."""
    if row.get("not_ready"):  # the plugins of 0.1 did not say so
        yield "OpenSM has not brought its port up, so nothing can be sent to it"
    # What has NVIDIA's attributes alone refuses annex A10's, which is a fault only where the profile has no others.
    if row["refusal"] and (row.get("dialect") != "nvidia" or row.get("state") == "unsupported"):
        yield row["refusal"]
    if row.get("state") == "foreign":
        yield "on by NVIDIA's attributes, and not by ibcc: nothing is sent to it; `ibcc profile clear-foreign` clears it"
    if row.get("withheld"):  # not of the plugins of 0.1
        yield row["withheld"]
    for refused in row["refused"]:
        yield f"refused {refused['attribute']} {refused['block']}: {refused['text']}"
    yield from (f"{place} is {held}, not {wanted}" for place, held, wanted in _differences(row["differences"]))
    if row["key"] == "foreign":
        yield "protected by a CC_Key that the key file does not have"
    if row["cct_truncated"]:
        yield f"its CCT has room for {64 * row['control_table_cap']} entries"
    if row["drifts"]:
        yield f"drifted {row['drifts']} {'time' if row['drifts'] == 1 else 'times'}"


def differences_told(differences: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """What a device held when it was read, and what it was set to."""
    yield from (f"{place} was {held}, and is {wanted} again" for place, held, wanted in _differences(differences))


def _differences(differences: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Any, Any]]:
    """Each once: each block of a CCT has the CCTI_Limit."""
    yield from dict.fromkeys((_place(one), one["held"], one["wanted"]) for one in differences)


def _place(difference: Mapping[str, Any]) -> str:
    """The field, and which one of several it is. `block` is the attribute modifier."""
    field, index, block = difference["field"], difference["index"], difference.get("block", 0)
    match difference.get("attribute"):
        case "CongestionControlTable" if index is not None:
            return f"{field} of CCT entry {_CCT_BLOCK * block + index}"
        case "SwitchPortCongestionSetting" if index is not None:
            return f"{field} of port {_PORT_BLOCK * block + index}"
        case "CongestionPortProfileSettings":
            return f"{field} of port {block & 0xFFFF}{_scope(', VL', difference)}"
        case "CongestionSLMappingSettings":
            return f"{field}[{index}] of port {block}"
        case "CongestionHCAAlgoConfig" | "CongestionHCAAlgoConfigParams":
            element = "" if index is None else f"[{index}]"
            return f"{field}{element} of slot {block}{_scope(', SL', difference)}"
    return field if index is None else f"{field}[{index}]"


def _scope(one: str, difference: Mapping[str, Any]) -> str:
    """ ", VLs 0 to 3": what the mask of the difference names; nothing without one, as of the plugins of 0.1."""
    mask = difference.get("scope") or 0
    numbers = [bit for bit in range(16) if mask >> bit & 1]
    if not numbers:
        return ""
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{one}s {numbers[0]} to {numbers[-1]}"
    *first, last = map(str, numbers)
    return f"{one}s {', '.join(first)} and {last}" if first else f"{one} {last}"
