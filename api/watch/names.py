# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Names of nodes for events: whoever owns a host may call it anything."""

from tuner.documents.printable import printable

MAX_CHARACTERS = 64
"""A node description has 64 bytes; names in documents may be longer."""


def shown(name: str) -> str:
    """Returns the name with visible escapes for control characters, and cut."""
    plain = printable(name[: MAX_CHARACTERS + 1])
    return plain if len(plain) <= MAX_CHARACTERS else f"{plain[: MAX_CHARACTERS - 1]}\u2026"
