# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A profile that is in force, and that no device of the fabric can hold."""

from collections.abc import Mapping
from typing import Any

from ccsim.policy import Profile, ProfileError
from tuner.opensm.plugin_client import PluginClient

NEXT_STEP = "ibcc fabric dialects"
"""Command that says which attributes devices have."""


def held_by_none(client: PluginClient, status: Mapping[str, Any]) -> str | None:
    """Returns a sentence without a full stop if the wanted profile switches congestion control on, and every device of the fabric
    has reported that it lacks the attributes which the profile writes; else None. Then nothing differs from what it should be,
    and nothing is throttled either. `status`: as the client has it."""
    counts = {state: count for state, count in status["devices"]["states"].items() if count}
    if set(counts) != {"unsupported"} or not status["wanted"]:
        return None
    try:
        if not Profile.from_text(client.profile()["document"]).enable:
            return None
    except ProfileError:  # a plugin of a later version has it, and whether it is on is not known
        return None
    count = counts["unsupported"]
    which = "the one device has" if count == 1 else f"all {count:,} devices have"
    return f"no device holds the profile: {which} none of the attributes that it writes"
