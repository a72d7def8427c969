# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How much of the PCIe links above adapters others use: the adapters' own traffic beside what the links carry.

What GPUs send is not known, so a link that they share is used at least so much: it may be said to be overloaded, and no more.
"""

import re
from collections.abc import Mapping

from tuner.hostping.matrix import OVERLOADED_SHARE
from tuner.hostping.topology import HostTopology

_LANE_GBPS = {2.5: 2.0, 5.0: 4.0, 8.0: 7.877, 16.0: 15.754, 32.0: 31.508, 64.0: 60.5}
"""What a lane carries by its rate in GT/s, after encoding: 8b/10b, 128b/130b, and FLITs from 64 GT/s on."""
GOODPUT_SHARE = 0.825
"""Of that, what is left for data with payloads of 256 bytes: 104 of 126 Gb/s at 8 GT/s x16 (pcie-bench's model)."""
_SPEED = re.compile(r"([0-9]{1,3}(?:\.[0-9])?) GT/s")


def goodput_gbps(speed: object, width: object) -> float | None:
    """What a link carries in a direction. `speed`, `width`: as sysfs writes them; None for what it does not say."""
    found = _SPEED.match(str(speed))
    lanes = str(width)
    if found is None or float(found.group(1)) not in _LANE_GBPS or lanes not in ("1", "2", "4", "8", "12", "16", "32"):
        return None
    return GOODPUT_SHARE * _LANE_GBPS[float(found.group(1))] * int(lanes)


def used_shares(
    topology: HostTopology, link_gbps: Mapping[str, float], traffic: Mapping[str, tuple[float, float]]
) -> dict[str, float]:
    """Share of each link that is used, 0 to 1, by the link's name; those of which it is not known are left out. `link_gbps`: what
    links carry in a direction; `traffic`: what adapters send and receive, in Gb/s."""
    ways = {adapter.name: topology.way_up(adapter) for adapter in topology.adapters}
    of_gpus = {link for gpu in topology.gpus for link in topology.way_up(gpu)}
    found = {}
    for link, gbps in link_gbps.items():
        above = [name for name, way in ways.items() if link in way]
        if not above or any(name not in traffic for name in above):
            continue
        share = max(sum(traffic[name][direction] for name in above) for direction in (0, 1)) / gbps
        if link not in of_gpus or share >= OVERLOADED_SHARE:
            found[link] = min(1.0, share)
    return found
