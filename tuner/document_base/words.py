# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Words of a sentence that several packages write."""

from collections.abc import Sequence


def listed(items: Sequence[str]) -> str:
    """`a, b and c`, of at least one."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
