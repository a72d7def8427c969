# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Draws a line: the throughput that contributors keep under a suggested profile, by their number."""

from tuner.suggest.forecast import forecast
from tuner.suggest.outlook import DeviceOutlook
from tuner.suggest.suggestion import Suggestion

STEPS = 40
"""Steps of equal ratio, for which a line is drawn."""


def kept_by_contributors(suggestion: Suggestion, device: DeviceOutlook) -> list[tuple[int, float]]:
    """Returns (contributors, share of their total that they keep at least, 0 to 1) with devices of that kind, ascending from 2 to
    the most that the profile cures; empty where it does not cure even two."""
    last = device.works_up_to
    if last is None:
        return []
    numbers = sorted({round(2 * (last / 2) ** (i / STEPS)) for i in range(STEPS + 1)})
    return [(n, 1 - forecast(suggestion, n, device.notifier).cost) for n in numbers]
