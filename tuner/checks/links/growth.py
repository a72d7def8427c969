# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Growth of a counter between two readings. Counters stay at their largest value, and begin at 0 when a device starts or
somebody clears them (IBA vol. 1, 16.1.3.5)."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Growth:
    """`is_least`: the counter was at its end, or was reset meanwhile, so it has counted this or more."""

    count: int
    is_least: bool = False


def growth(before: int | None, now: int | None, largest: int) -> Growth | None:
    """Returns None if nothing can be said: a value is unknown, or the counter stood at its largest value all the time."""
    if before is None or now is None:
        return None
    if now < before:
        return Growth(now, is_least=True)
    if now < largest:
        return Growth(now - before)
    return None if before >= largest else Growth(now - before, is_least=True)
