# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""States of devices, as the OpenSM plugin reports them, in words; and which of them mean that a profile is not held."""

from collections.abc import Iterable, Mapping
from typing import Any

OTHERWISE = {
    "drifted": "held something else",
    "clamped": "took other values",
    "refused": "refused a value",
    "timing-out": "did not answer",
    "unknown": "could not be asked",
    "withheld": "did not get all values",
}
"""Remarks on devices that do not hold what they should, by state; after a name or a number."""

NOT_HELD = tuple(state for state in OTHERWISE if state != "clamped")
"""States of devices that support congestion control and do not hold the profile. One that took other values than it was sent has
been brought as close to it as it can be, and counts as holding it."""

NOT_READY = "not ready, as OpenSM has not brought their ports up"
"""Remark on devices whose links are up, and that cannot be sent anything."""


def not_holding(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Returns those of a plugin's devices that are in the fabric and do not hold the profile in force."""
    return [row for row in rows if row["present"] and row["state"] in NOT_HELD]
