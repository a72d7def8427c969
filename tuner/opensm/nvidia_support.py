# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Whether the devices of a fabric can take the section `nvidia` of a profile, by what the plugin has found out about them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

_KINDS = (("switch", "switch", "switches"), ("ca", "adapter", "adapters"))
"""Kind of device, its part of the section, and several of them."""
_VERSIONS = {"dcqcn": "ver0", "ppcc": "ver1"}


def nvidia_complaint(sections: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> str | None:
    """Returns the end of a sentence that names what keeps devices from the section, with their number and the first of them; None
    if all can take it that know congestion control. `sections`: the profile. `rows`: of the plugin's `devices`, after it has
    asked all of them."""
    there = [row for row in rows if row["present"] and row["dialect"] not in (None, "none")]
    for kind, part, plural in _KINDS:
        if part not in sections["nvidia"]:
            continue
        mine = [row for row in there if row["kind"] == kind]
        reasons = {id(row): _reason(row, sections, part) for row in mine}
        able = [row for row in mine if reasons[id(row)] is None and row["nvidia"] is not None]
        unable = [row for row in mine if reasons[id(row)] is not None]
        if unable:
            reason, count = Counter(reasons[id(row)] for row in unable).most_common(1)[0]
            first = next(row for row in unable if reasons[id(row)] == reason)
            return f"{count} of {len(mine)} {plural} cannot take it, '{first['description']}' ({first['guid']}) for one: {reason}"
        if not able:
            return f"of {len(mine)} {plural} none has NVIDIA's attributes (`ibcc fabric dialects`); leave out nvidia.{part}"
    return None


def _reason(row: Mapping[str, Any], sections: Mapping[str, Any], part: str) -> str | None:
    """None too for a device that takes annex A10's sections instead."""
    nvidia = row["nvidia"]
    if nvidia is None:
        return None if "switch" in sections else "it has no attributes of NVIDIA's, and the profile has no others"
    if nvidia["fault"]:
        return f"its answers cannot be trusted: {nvidia['fault']}"
    types = _types(sections) if part == "adapter" else []
    if types and not any(nvidia[_VERSIONS[one]] for one in types):
        return f"it has no {' or '.join(types).upper()}"
    return None


def _types(sections: Mapping[str, Any]) -> list[str]:
    """Returns the types of all adapters and of some, by an override."""
    own = sections["nvidia"]["adapter"]["type"]
    overrides = (one.get("nvidia", {}).get("adapter", {}) for one in sections.get("overrides", ()))
    return sorted({own, *(one["type"] for one in overrides if "type" in one)})
