# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Remarks on the faults of a device, in words."""

from collections.abc import Iterator, Mapping
from typing import Any


def device_remarks(row: Mapping[str, Any]) -> Iterator[str]:
    """`row` as PluginClient.devices has it. Nothing of a device that holds what it should."""
    if row.get("not_ready"):  # the plugins of 0.1 did not say so
        yield "OpenSM has not brought its port up, so nothing can be sent to it"
    # What has NVIDIA's attributes alone refuses annex A10's, which is a fault only where the profile has no others.
    if row["refusal"] and (row.get("dialect") != "nvidia" or row.get("state") == "unsupported"):
        yield row["refusal"]
    if row.get("withheld"):  # not of the plugins of 0.1
        yield row["withheld"]
    for refused in row["refused"]:
        yield f"refused {refused['attribute']} {refused['block']}: {refused['text']}"
    for difference in row["differences"]:
        index = "" if difference["index"] is None else f"[{difference['index']}]"
        yield f"{difference['field']}{index} is {difference['held']}, not {difference['wanted']}"
    if row["key"] == "foreign":
        yield "protected by a CC_Key that the key file does not have"
    if row["cct_truncated"]:
        yield f"its CCT has room for {64 * row['control_table_cap']} entries"
    if row["drifts"]:
        yield f"drifted {row['drifts']} {'time' if row['drifts'] == 1 else 'times'}"
