# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The rule for DCQCN: thresholds and rates that hold back n contributors to one receiver, from facts of the fabric.

- **Thresholds** lie below the buffer of one input: contributors may all come by one, and once it is full, its link stops for
  victims too. The queue of an output counts what all inputs hold, so none of them is full where the sum is less than one holds.
- **Every packet is marked at max**, so that it makes no difference whether a switch marks all above max or only the share there.
- **A CNP for each mark**: whether an adapter spaces CNPs for each queue pair or for all of a port is not known, and in the latter
  case n contributors would get an n-th of them. A sender still cuts once in a period.
- **The lowest rate** leaves room for more contributors than expected, as the table's end does under annex A10. It also bounds how
  long a sender waits at most: at 1 Mb/s, the default, the next packet of 4 KiB is 33 ms away, whatever happens meanwhile.
- **Increases**: all contributors together gain GAIN of what the receiver takes in one period; a sender that is alone again is
  back at its link's rate within RECOVERY_US. Five periods of fast recovery keep hyper increases out of an incast that goes on.

experiments/nvidia_tuning measures it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ccsim
from tuner.documents.fabric import End
from tuner.fabric.built_fabric import BuiltFabric
from tuner.suggest.path import Path
from tuner.suggest.queue import Queue

LEAST_PACKETS = 4
"""Packets at the lower threshold: a few that meet by chance are no congestion."""
SPAN = 0.5
"""Distance from min to max, as a part of an input's buffer."""
ROOM = 4.0
"""Contributors that the lowest rate leaves room for, as a multiple of those that are expected."""
GAIN = 0.01
RECOVERY_US = 5000.0
INCREASE_US, INCREASE_TRIPS = 55, 10
"""Time between increases: that of the paper (Zhu et al., SIGCOMM 2015; from memory), and at least so many round trips."""
STAGES = 5
"""rpg_threshold, of the paper as well."""
CUT_US = 4
"""rate_reduce_monitor_period: NVIDIA's default for RoCE, or a round trip, if that is longer."""
LOOKED_AT = 256
"""Routes that are looked at for the longest; large fabrics have millions."""
MOST_MARK_EVERY = 8
"""Most packets to a mark where switches mark one in several, by annex A10: rarer marks gain nothing."""
_MOST_STEP = 65535
"""Steps have 16 bits; a rate as high as this is reached in a few of them."""
_KILOBYTE = 1024


@dataclass(frozen=True, kw_only=True)
class DcqcnValues:
    """Values that the rule decides. Rates are in Mb/s."""

    min_bytes: float
    max_bytes: float
    buffer_bytes: float
    """Buffer that percentages refer to."""
    round_trip_us: float
    """Round trip of a full packet and its CNP on the longest route, without queues."""
    increase_us: int
    cut_us: int
    ai_rate: int
    hai_rate: int
    least_rate: int

    def threshold(self, name: str, unit: str) -> float:
        """Returns `profile1_min` or `profile1_max` in a unit of thresholds: `bytes`, `kilobytes` or `percent`."""
        wanted = self.min_bytes if name.endswith("_min") else self.max_bytes
        whole = {"bytes": 1.0, "kilobytes": _KILOBYTE, "percent": self.buffer_bytes / 100}[unit]
        return max(1, round(wanted / whole))

    def section(self, *, switches: bool = True, adapters: bool = True) -> dict[str, Any]:
        """Returns the section `nvidia` of a profile, for switches, adapters or both; values that are left out are the
        defaults."""
        thresholds = {name: self.threshold(name, "kilobytes") for name in ("profile1_min", "profile1_max")}
        switch = {
            "aqs_time": 0,
            "aqs_weight": 0,
            "thresholds": [{"unit": "kilobytes", **thresholds, "profile1_percent": 100}],
        }
        adapter = {
            "type": "dcqcn",
            "rp": {
                "rpg_time_reset": self.increase_us,
                "rpg_byte_reset": 0,
                "rpg_threshold": STAGES,
                "rpg_ai_rate": self.ai_rate,
                "rpg_hai_rate": self.hai_rate,
                "rpg_min_rate": self.least_rate,
                "rate_reduce_monitor_period": self.cut_us,
            },
            "np": {"min_time_between_cnps": 0},
        }
        return {**({"switch": switch} if switches else {}), **({"adapter": adapter} if adapters else {})}

    def most_mark_every(self, gap_ns: float) -> int:
        """Returns the highest Marking_Rate + 1 of switches of annex A10 with which a contributor, whose packets are `gap_ns`
        apart at its fair share, is marked between two increases even if there are ROOM times as many: without a mark its rate
        grows in spite of congestion. At least 1."""
        return max(1, min(MOST_MARK_EVERY, int(1e3 * self.increase_us / (ROOM * gap_ns))))


def choose(path: Path, contributors: float, queue: Queue, round_trip_us: float) -> DcqcnValues:
    """Returns the values for n contributors on a path, whose switches have the buffers of `queue`."""
    increase_us = math.ceil(max(INCREASE_US, INCREASE_TRIPS * round_trip_us))
    share = 1e3 * path.receive_gbps / contributors
    ai_rate = _step(GAIN * share)
    min_bytes = min(LEAST_PACKETS * path.packet_bytes, queue.reference_bytes / 4)
    return DcqcnValues(
        min_bytes=min_bytes,
        max_bytes=min_bytes + SPAN * queue.reference_bytes,
        buffer_bytes=queue.reference_bytes,
        round_trip_us=round_trip_us,
        increase_us=increase_us,
        cut_us=math.ceil(max(CUT_US, round_trip_us)),
        ai_rate=ai_rate,
        hai_rate=max(ai_rate, _step(1e3 * path.alone_gbps * increase_us / RECOVERY_US)),
        least_rate=max(1, round(share / ROOM)),
    )


def round_trip_us(built: BuiltFabric, path: Path, model: ccsim.Model) -> float:
    """Returns the time from the first bit of a full packet to its CNP on the longest route from the first host, in us, without
    queues. Destinations without a route are left out."""
    document, fabric, ends = built.document, built.fabric, built.hosts.endports
    delays = {end: link.delay_ns for link, *both in document.ends() for end in both}
    hosts = [one for one in ends if one.kind == "host" and End(one.node, one.port) in delays]
    longest = 0.0
    for target in hosts[1 :: max(1, len(hosts) // LOOKED_AT)]:
        try:
            hops = fabric.route(fabric.endport(hosts[0].node, hosts[0].port), fabric.endport(target.node, target.port))
        except RuntimeError:
            continue
        way = sum(delays[End(*hop)] for hop in hops) + (len(hops) - 1) * model.switch.routing_latency_ns
        longest = max(longest, 2 * way)
    return float(longest + 2 * path.packet_ns + model.ca.becn_delay_ns) * 1e-3


def switch_reasons(values: DcqcnValues, path: Path) -> list[str]:
    """Returns a sentence on the values of switches."""
    return [
        f"Switches mark from {values.min_bytes / path.packet_bytes:.3g} queued packets on, and each packet at "
        f"{values.max_bytes / _KILOBYTE:.0f} KiB: less than the {values.buffer_bytes / _KILOBYTE:.0f} KiB of an input, which "
        "victims share.",
    ]


def adapter_reasons(values: DcqcnValues, path: Path, contributors: int) -> list[str]:
    """Returns a sentence for each value of adapters."""
    share = 1e3 * path.receive_gbps / contributors
    return [
        f"A packet and its CNP take {values.round_trip_us:.3g} us without queues: a rate is cut at most once in "
        f"{values.cut_us} us, and rises each {values.increase_us} us.",
        f"An additive step of {values.ai_rate} Mb/s is {100 * values.ai_rate / share:.2g} % of a contributor's fair share, "
        f"{share / 1e3:.4g} Gb/s; by hyper steps of {values.hai_rate} Mb/s a flow that is alone is back at its link's rate in "
        f"{1e3 * path.alone_gbps / values.hai_rate * values.increase_us / 1e3:.3g} ms.",
        f"The lowest rate of {values.least_rate} Mb/s leaves room for {ROOM:g} times as many contributors.",
    ]


def unknowns(queue: Queue) -> Sequence[str]:
    """Returns a sentence for each thing that decides and is not known."""
    return [
        f"The buffer of a switch's input is taken to be {queue.reference_bytes / _KILOBYTE:.0f} KiB: say yours by "
        "model.switch.input_buffer_bytes. Where it is smaller, thresholds come too late.",
        "No public text says whether switches mark above max. Where they mark nothing there, a large incast outgrows max at "
        "once, and no congestion control begins (model.switch.mark_above_max).",
    ]


def _step(mbps: float) -> int:
    return min(_MOST_STEP, max(1, round(mbps)))
