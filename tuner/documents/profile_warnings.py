# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Warnings of a profile that hold on any fabric: values that are valid, and with which it does not do what it is for.

Warnings on one fabric, such as an override that matches nothing, come from resolving the profile there.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ccsim.policy import Profile

NOTHING = {
    "ca.ccti_timer": "adapters forget each BECN at once and throttle nothing beyond CCTI_Min; the time must be 1 or more, and "
    "gran-2010 has 150",
    "ca.ccti_increase": "a BECN raises no CCTI, so that adapters throttle nothing beyond CCTI_Min; it must be 1 or more",
    "cct.ccti_limit": "no CCTI rises above 0, so that adapters throttle nothing; it must be 1 or more, and gran-2010 has 127",
    "switch.threshold": "switches mark no packet, so that no adapter gets a BECN; it must be 1 to 15, and gran-2010 has 15",
}
"""What follows from a 0 in a field (IBA release 1.4, annex A10), and what would be right."""

MAY_DIFFER = {"switch.threshold"}
"""Fields that an override may set to 0 with reason: some switches are not to mark."""


def profile_warnings(profile: Profile) -> list[str]:
    """Returns a sentence for each, the key first; none for a profile that is off."""
    document = profile.to_dict()
    return [*_without_reaction(document)] if profile.enable else []


def _without_reaction(document: Mapping[str, Any]) -> Iterator[str]:
    for path, consequence in NOTHING.items():
        section, field = path.split(".")
        if (document.get(section) or {}).get(field) == 0:
            yield f"{path} is 0: {consequence}"
        for i, override in enumerate(document.get("overrides") or ()):
            if path not in MAY_DIFFER and (override.get(section) or {}).get(field) == 0:
                yield f"overrides[{i}].{path} is 0: {consequence}"
