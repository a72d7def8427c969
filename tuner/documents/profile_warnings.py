# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Warnings of a profile that hold on any fabric: values that are valid, and with which it does not do what it is for.

Warnings on one fabric, such as an override that matches nothing, come from resolving the profile there.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ccsim.policy import Profile


def profile_warnings(profile: Profile) -> list[str]:
    """Returns a sentence for each, the key first; none for a profile that is off."""
    document = profile.to_dict()
    return [*_instant_timers(document)] if profile.enable else []


def _instant_timers(document: Mapping[str, Any]) -> Iterator[str]:
    """CCTI_Timer 0 (IBA release 1.4, annex A10): the time after which a CCTI falls is no time at all."""
    sections = {"ca": document.get("ca") or {}} | {
        f"overrides[{i}].ca": override.get("ca") or {} for i, override in enumerate(document.get("overrides") or ())
    }
    for path, section in sections.items():
        if section.get("ccti_timer") == 0:
            yield (
                f"{path}.ccti_timer is 0: adapters forget each BECN at once and throttle nothing beyond CCTI_Min; "
                f"the time must be 1 or more, and gran-2010 has 150"
            )
