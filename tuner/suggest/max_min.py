# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Max-min fair shares of flows over links, by progressive filling (Bertsekas and Gallager, Data Networks, 6.5.2)."""

import heapq
import math
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeVar

Link = TypeVar("Link", bound=Hashable)


def bottlenecks(flows: Sequence[tuple[float, Sequence[Link]]], capacity_gbps: Mapping[Link, float]) -> Mapping[Link, float]:
    """Returns the links that hold flows back, with the share that each of these flows gets there in Gb/s.

    A flow is what it asks for at most in Gb/s, and the links on its way. All links must have a capacity.
    """
    on_link: dict[Link, set[int]] = defaultdict(set)
    for number, (_, links) in enumerate(flows):
        for link in links:
            on_link[link].add(number)
    left = {link: capacity_gbps[link] for link in on_link}
    heap = [(left[link] / len(waiting), 0, i, link) for i, (link, waiting) in enumerate(on_link.items())]
    asking = [(asked, 1, -number, number) for number, (asked, _) in enumerate(flows)]
    heap_all: list[tuple[float, int, int, Any]] = [*heap, *asking]
    heapq.heapify(heap_all)
    settled: set[int] = set()
    found: dict[Link, float] = {}
    while len(settled) < len(flows):
        share, is_flow, order, what = heapq.heappop(heap_all)
        if is_flow:
            done = {-order} - settled
        else:
            waiting = on_link[what] - settled
            if not waiting:
                continue
            now = max(0.0, left[what]) / len(waiting)
            if now > share * (1 + 1e-9):
                heapq.heappush(heap_all, (now, 0, order, what))
                continue
            share, done = now, waiting
            if any(flows[number][0] > share * (1 + 1e-9) for number in done):
                found[what] = share
        for number in done:
            settled.add(number)
            for link in flows[number][1]:
                left[link] -= share
    return {link: share for link, share in found.items() if math.isfinite(share) and share > 0}
