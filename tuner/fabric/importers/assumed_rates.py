# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A rate for a link whose ends both do not know it: that of most links like it, or else what its devices can do."""

import re
from collections import Counter
from collections.abc import Sequence

from tuner.documents.known_devices import known_device

_SPEEDS = [  # by the name of the model, the fastest first
    (re.compile("Quantum-3|ConnectX-8|BlueField-4"), "XDR"),
    (re.compile("Quantum-2|ConnectX-7|BlueField-3"), "NDR"),
    (re.compile("Quantum|ConnectX-6|BlueField-2"), "HDR"),
    (re.compile("Switch-IB|ConnectX-[45]|BlueField"), "EDR"),
    (re.compile("SwitchX|Connect-IB|ConnectX-3"), "FDR"),
    (re.compile("InfiniScale"), "QDR"),
]
_UNKNOWN = "EDR"
"""Speed of devices of which nothing is known."""


def assumed_rate(
    usual: Counter[tuple[bool, str]], between: bool, width: str | None, devices: Sequence[tuple[int | None, int | None]]
) -> str:
    """`usual`: numbers of links by whether they join two switches, and by rate; `between`: whether this one does. `width`: such
    as 4x, if it is known; `devices`: vendor and device ids of both ends, as far as they are known."""
    alike = {rate: count for (joins, rate), count in usual.items() if joins == between}
    candidates = alike or {rate: count for (_, rate), count in usual.items()}
    fitting = {rate: count for rate, count in candidates.items() if width is None or rate.startswith(width)}
    if fitting:
        return max(fitting, key=lambda rate: (fitting[rate], rate))
    if candidates:
        usual_rate = max(candidates, key=lambda rate: (candidates[rate], rate))
        return (width or "4x") + usual_rate.partition("x")[2]
    return (width or "4x") + _slowest(devices)


def _slowest(devices: Sequence[tuple[int | None, int | None]]) -> str:
    order = [speed for _, speed in _SPEEDS]
    speeds = [speed for vendor, device in devices if (speed := _speed_of(vendor, device)) is not None]
    return max(speeds, key=order.index, default=_UNKNOWN)


def _speed_of(vendor: int | None, device: int | None) -> str | None:
    known = None if vendor is None or device is None else known_device(vendor, device)
    if known is None:
        return None
    return next((speed for pattern, speed in _SPEEDS if pattern.search(known.name)), None)
