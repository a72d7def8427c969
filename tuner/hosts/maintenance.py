# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Maintenance windows: when hosts and fabric may be used for measurements."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from tuner.documents.inventory_maintenance import MaintenanceWindow


def open_until(windows: Sequence[MaintenanceWindow], now: datetime) -> datetime | None:
    """Returns the time until which hosts may be used without a break, or None if they may not be used now. Without any windows
    they may always be used."""
    if not windows:
        return datetime.max.replace(tzinfo=UTC)
    return next((end for begin, end in _joined(windows, now) if begin <= now), None)


def next_opening(windows: Sequence[MaintenanceWindow], now: datetime, length: timedelta = timedelta()) -> datetime | None:
    """Returns the first time after now from which they may be used for `length` without a break; None if there is none."""
    return next((begin for begin, end in _joined(windows, now) if begin > now and end - begin >= length), None)


def longest_opening(windows: Sequence[MaintenanceWindow], now: datetime) -> timedelta:
    """For how long they may be used without a break, at most."""
    return max((end - begin for begin, end in _joined(windows, now)), default=timedelta())


def _joined(windows: Sequence[MaintenanceWindow], now: datetime) -> list[tuple[datetime, datetime]]:
    """Beginnings and ends, one after the other, of what ends after now; windows that meet are one."""
    joined: list[tuple[datetime, datetime]] = []
    for begin, end in sorted(found for window in windows for found in window.around(now)):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((begin, end))
    return joined
