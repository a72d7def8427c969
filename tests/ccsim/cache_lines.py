# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A host line by line, for comparison with the simulator's closed form, which it does not know.

From the sources: an adapter writes cache lines of 64 bytes, one after another as PCIe carries them, and each holds a credit until
memory has it (HotNets 2022, section 3.1; SIGCOMM 2024, section 4). A core keeps a fixed number of lines in flight. Memory serves
lines of all in the order in which they come, one each 64 bytes / bandwidth (HotNets 2022, section 3.2: first come, first served).
"""

import heapq
import random
from dataclasses import dataclass

LINE = 64


@dataclass(frozen=True)
class LineHost:
    """Times in ns, rates in bytes/ns."""

    credits: int
    latency: float
    """Of an adapter's line through the root complex, without waiting for memory; page walks included."""
    pcie: float
    memory: float
    cores: int
    core_lines: int
    core_bandwidth: float
    """Of one core alone."""


def adapter_rate(host: LineHost, *, span_ns: float = 20000, settle_ns: float = 10000, seed: int = 1) -> float:
    """Returns what the adapter writes in bytes/ns, in the mean of `span_ns` after `settle_ns`."""
    draws = random.Random(seed)
    cycle = host.core_lines * LINE / host.core_bandwidth
    service = LINE / host.memory
    # Lines on their way to memory: (time of arrival there, number, is the adapter's).
    queue: list[tuple[float, int, bool]] = []
    number = 0
    for _ in range(host.cores * host.core_lines):
        number += 1
        queue.append((draws.uniform(0, cycle), number, False))
    heapq.heapify(queue)
    free_credits, link_free, memory_free, written = host.credits, 0.0, 0.0, 0

    def send(now: float) -> None:
        nonlocal number, free_credits, link_free
        number += 1
        free_credits -= 1
        link_free = max(link_free, now) + LINE / host.pcie
        heapq.heappush(queue, (link_free + host.latency, number, True))

    for _ in range(host.credits):
        send(0.0)
    while True:
        arrival, _, is_adapter = heapq.heappop(queue)
        done = max(arrival, memory_free) + service
        memory_free = done
        if done > settle_ns + span_ns:
            return written * LINE / span_ns
        if is_adapter:
            written += done > settle_ns
            free_credits += 1
            send(done)
        else:
            number += 1
            heapq.heappush(queue, (done + cycle, number, False))
