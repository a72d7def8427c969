# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""States of devices, as the OpenSM plugin reports them, in words; and which of them mean that a profile is not held."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

OTHERWISE = {
    "drifted": "held something else",
    "clamped": "took other values",
    "refused": "refused a value",
    "timing-out": "did not answer",
    "unknown": "could not be asked",
    "withheld": "did not get all values",
    "foreign": "obeyed NVIDIA's attributes that somebody else had switched on",
}
"""Remarks on devices that do not hold what they should, by state; after a name or a number."""

NOT_HELD = tuple(state for state in OTHERWISE if state != "clamped")
"""States of devices that support congestion control and do not hold the profile. One that took other values than it was sent has
been brought as close to it as it can be, and counts as holding it."""

NOT_READY = "not ready, as OpenSM has not brought their ports up"
"""Remark on devices whose links are up, and that cannot be sent anything."""

MOST_NAMED = 5
"""Number of devices that a sentence names at most."""


def found_drifts(count: int) -> str:
    """So many differences, at least 1, that a verify has found."""
    return "1 difference was found" if count == 1 else f"{count:,} differences were found"


def not_holding(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Returns those of a plugin's devices that are in the fabric and do not hold the profile in force."""
    return [row for row in rows if row["present"] and row["state"] in NOT_HELD]


def names_away(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Returns the names of those of a plugin's devices that OpenSM's last sweep did not find."""
    return [row["description"] for row in rows if not row["present"] and not row.get("not_ready")]


def first_names(names: Sequence[str], count: int | None = None) -> str:
    """`H1, H2, …`: at most MOST_NAMED. `count`: where there are more than these names."""
    return ", ".join(names[:MOST_NAMED]) + (", …" if (count or len(names)) > MOST_NAMED else "")


def told_away(names: Sequence[str], count: int | None = None) -> str:
    """`; 1 is away: H3`, for the end of a sentence; empty if none is. `count`: where there are more than these names."""
    count = len(names) if count is None else count
    if not count:
        return ""
    return f"; {count:,} {'is' if count == 1 else 'are'} away: {first_names(names, count)}"
