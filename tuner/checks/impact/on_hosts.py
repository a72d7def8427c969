# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The part of GPCNeT's recipe that perftest can send: rings by pairs of neighbours, incast and broadcast.

Each pair has a program of its own, which counts the messages that were acknowledged. So there are averages over time, and nothing
of a single exchange.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tuner.checks.impact.hosts import Parts, parts_of
from tuner.checks.impact.metrics import BANDWIDTH, LATENCY
from tuner.documents.expanded_flow import ClosedLoop, make_flow
from tuner.documents.flow import Flow, Traffic
from tuner.documents.workload import Workload
from tuner.measuring.measurement import Measurement

CANARIES = (LATENCY, BANDWIDTH)
LEFT_OUT = (
    "on hosts, GPCNeT's collectives are left out: the all-reduce canary, the all-to-all congestor, and the barrier after each "
    "exchange of the bandwidth canary",
    "on hosts, 99 % is left out, as programs report what they have sent in an interval and not each exchange; latency is half of "
    "the time until an RDMA WRITE of 8 bytes is acknowledged",
)
MOST_RINGS = 4
"""Each ring is programs more that wait for their turn on each host."""
RING_S = 1.0
_WARMUP_S = 1.0
_SAMPLE_S = 0.05
_EDGE = 0.1
"""Part of a ring's time at its beginning and end that is not looked at: hosts begin within milliseconds of each other."""
_KINDS = ("incast", "broadcast")
_SMALL_BYTES, _CONGESTOR_BYTES, _LARGE_BYTES, _LARGE_DEPTH = 8, 4096, 131072, 8
_MIB = 1 << 20


@dataclass(frozen=True, kw_only=True)
class HostRecipe:
    """Parts that the hosts play, and the rings, one after the other."""

    parts: Parts
    rings: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, hosts: Sequence[str], *, rings: int, seed: int) -> "HostRecipe":
        """`hosts`: at least 10, as the fabric calls them."""
        parts = parts_of(hosts, seed, kinds=_KINDS)
        drawn = parts.rings(min(rings, MOST_RINGS), seed)
        return cls(parts=parts, rings=tuple(map(tuple, drawn)))


def duration_s(rings: int) -> float:
    """Length of one run; there are four."""
    return _WARMUP_S + min(rings, MOST_RINGS) * RING_S


def workload(recipe: HostRecipe, canary: str, *, fabric: str, loaded: bool) -> Workload:
    flows = [*_canary(recipe, canary), *(_congestors(recipe.parts) if loaded else ())]
    head = Workload.model_validate(
        {
            "ibcc_workload": 1,
            "name": f"{canary}-{'loaded' if loaded else 'isolated'}",
            "fabric": fabric,
            "duration_s": duration_s(len(recipe.rings)),
            "sample_interval_s": _SAMPLE_S,
            "flows": [{"name": "any", "src": recipe.parts.canaries[0], "dst": recipe.parts.canaries[1]}],
        }
    )
    return head.model_copy(update={"flows": tuple(flows)})  # these can say more than a document


def average_of(canary: str, measurement: Measurement) -> float:
    """µs, or MiB/s that a host sends to its neighbours; the mean over rings and hosts."""
    by_host: dict[tuple[float, str], float] = {}
    for flow, row in zip(measurement.flows, measurement.gbps, strict=True):
        if flow.name.startswith(f"{canary}-"):
            begin_s, end_s = flow.start_s + _EDGE * RING_S, flow.stop_s - _EDGE * RING_S
            samples = slice(math.ceil(begin_s / _SAMPLE_S - 1e-6), math.floor(end_s / _SAMPLE_S + 1e-6))
            host = flow.start_s, flow.src
            by_host[host] = by_host.get(host, 0.0) + float(np.mean(row[samples]))
    rates = list(by_host.values())
    if canary == BANDWIDTH:
        return math.fsum(rates) / len(rates) * 1e9 / 8 / _MIB
    # One message is on the way at a time. Of none that was acknowledged, no more is known than that the time was too short.
    times_us = [RING_S * 1e6 if gbps <= 0 else _SMALL_BYTES * 8e-3 / gbps for gbps in rates]
    return math.fsum(times_us) / len(times_us) / 2


def _canary(recipe: HostRecipe, canary: str) -> Iterator[Flow]:
    for number, ring in enumerate(recipe.rings):
        start_s = round(_WARMUP_S + number * RING_S, 9)
        stop_s = round(start_s + RING_S, 9)
        for i, host in enumerate(ring):
            name = f"{canary}-{number + 1}-right-{i + 1}"
            after = ring[(i + 1) % len(ring)]
            if canary == LATENCY:
                yield _flow(name, host, after, _SMALL_BYTES, depth=1, start_s=start_s, stop_s=stop_s)
            else:
                yield _flow(name, host, after, _LARGE_BYTES, depth=_LARGE_DEPTH, start_s=start_s, stop_s=stop_s)
                name = f"{canary}-{number + 1}-left-{i + 1}"
                yield _flow(name, host, ring[i - 1], _LARGE_BYTES, depth=_LARGE_DEPTH, start_s=start_s, stop_s=stop_s)


def _congestors(parts: Parts) -> Iterator[Flow]:
    """Sends are handed to the adapter one after the other; who gets waits for each."""
    root, *others = parts.congestors["incast"]
    for i, host in enumerate(others):
        yield _flow(f"incast-{i + 1}", host, root, _CONGESTOR_BYTES, role="contributor")
    root, *others = parts.congestors["broadcast"]
    for i, host in enumerate(others):
        yield _flow(f"broadcast-{i + 1}", root, host, _CONGESTOR_BYTES, depth=1, role="contributor")


def _flow(
    name: str,
    src: str,
    dst: str,
    message_bytes: int,
    *,
    depth: int | None = None,
    start_s: float = 0.0,
    stop_s: float | None = None,
    role: str = "other",
) -> Flow:
    """`depth`: messages on the way at most."""
    traffic = Traffic(message_bytes=message_bytes, start_s=start_s, stop_s=stop_s)
    loop = None if depth is None else ClosedLoop(window=depth, grants=(name,))
    return make_flow(traffic, name=name, src=src, dst=dst, role=role, loop=loop)
