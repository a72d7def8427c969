# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""GPCNeT's canaries and congestors as workloads of simulated hosts, and what a measurement says of a canary.

Recipe: Chunduri et al., "GPCNeT: Designing a Benchmark Suite for Inducing and Measuring Contention in HPC Networks", SC19, and
version 1.3 of the program. One rank a host; times are shorter, and rings fewer, than there.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tuner.checks.impact.hosts import Parts
from tuner.checks.impact.metrics import ALLREDUCE, BANDWIDTH, LATENCY, STATISTICS
from tuner.documents.patterns.base import HostSelector
from tuner.documents.patterns.rounds import number_of_rounds
from tuner.documents.workload import Workload
from tuner.measuring.measurement import Measurement
from tuner.simulation.round_trips import stem

_SMALL_BYTES, _CONGESTOR_BYTES, _GET_REQUEST_BYTES = 8, 4096, 16
_EXCHANGE_BYTES = 8 * 131072
"""Eight messages of 131,072 bytes to a neighbour, on the way together."""
_MIB = 1 << 20

_WARMUP_S = 0.01
"""The congestors' start: after it, congestion trees stand, and congestion control has found its rates."""
_SLOT_S = 0.002
"""Time of a ring of small messages: a hundred exchanges and more, also where congestion makes them ten times as long."""
_EXCHANGES, _SLOWDOWN = 8, 5
"""Exchanges of a ring of large messages, as in GPCNeT, where congestion makes them five times as long."""
_SAMPLE_S = 0.001


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """`rings`: random rings that a canary tries one after the other. `host_us`: time that a host takes from a message to the
    next. `seed`: draws the rings."""

    parts: Parts
    rings: int
    host_us: float
    seed: int
    slots_s: Mapping[str, float]
    """Length of a ring's time, by canary."""

    @classmethod
    def of(cls, parts: Parts, hosts: HostSelector, *, rings: int, host_us: float, seed: int) -> "Recipe":
        """The slowest canary's rate decides how long its rings take."""
        gbps = min(hosts.capacity_gbps(host, _EXCHANGE_BYTES) for host in parts.canaries)
        exchange_s = 2 * _EXCHANGE_BYTES * 8e-9 / gbps
        large_s = _whole_samples(_EXCHANGES * _SLOWDOWN * exchange_s)
        slots_s = {LATENCY: _SLOT_S, BANDWIDTH: large_s, ALLREDUCE: _SLOT_S}
        return cls(parts=parts, rings=rings, host_us=host_us, seed=seed, slots_s=slots_s)

    def slower(self, factor: int) -> "Recipe":
        """The same for a fabric on which exchanges take that much longer: more time for a ring, and fewer rings."""
        slots_s = {canary: round(factor * slot_s, 9) for canary, slot_s in self.slots_s.items()}
        return replace(self, rings=max(1, self.rings // factor), slots_s=slots_s)


@dataclass(frozen=True, kw_only=True)
class CanaryResult:
    """Times of an exchange, or of an all-reduce, in µs: the mean over rings and hosts, the mean of the inverse, and the 99th
    percentile. `silent`: pairs of a host and a ring that did not finish one, for which the ring's whole time counts."""

    mean_us: float
    inverse_mean: float
    p99_us: float
    silent: int


def workload(recipe: Recipe, canary: str, *, fabric: str, loaded: bool) -> Workload:
    """A canary alone, or while all congestors run."""
    slot_s = recipe.slots_s[canary]
    # One time more than rings: exchanges that congestion makes long end in it.
    duration_s = _WARMUP_S + (recipe.rings + 1) * slot_s
    return Workload.model_validate(
        {
            "ibcc_workload": 1,
            "name": f"{canary}-{'loaded' if loaded else 'isolated'}",
            "fabric": fabric,
            "duration_s": round(duration_s, 9),
            "sample_interval_s": _SAMPLE_S,
            "warmup_s": _WARMUP_S,
            "patterns": [*_canary(recipe, canary), *(_congestors(recipe.parts) if loaded else ())],
        }
    )


def result_of(recipe: Recipe, canary: str, measurement: Measurement) -> CanaryResult:
    own = canary if canary == ALLREDUCE else f"{canary}-right"
    slot_us = recipe.slots_s[canary] * (recipe.rings if canary == ALLREDUCE else 1) * 1e6
    means_us = list(_means_us(recipe, canary, measurement.counters["flows"]))
    silent = sum(mean is None for mean in means_us)
    known_us = [slot_us if mean is None else mean for mean in means_us]
    grouped = [row["p99_us"] for row in measurement.counters.get("round_trips", ()) if row["name"] == own]
    return CanaryResult(
        mean_us=math.fsum(known_us) / len(known_us),
        inverse_mean=math.fsum(1 / mean for mean in known_us) / len(known_us),
        p99_us=max([*grouped, *([slot_us] if silent else [])]),
        silent=silent,
    )


def statistics(canary: str, result: CanaryResult) -> dict[str, float]:
    """Returns GPCNeT's average and 99 % of a canary: µs, or MiB/s for each host. Its latency is half of an exchange, as that has
    two messages to send."""
    if canary == BANDWIDTH:
        mib = 2 * _EXCHANGE_BYTES / _MIB
        both = mib * 1e6 * result.inverse_mean, mib * 1e6 / result.p99_us
    else:
        messages = 2 if canary == LATENCY else 1
        both = result.mean_us / messages, result.p99_us / messages
    return dict(zip(STATISTICS, both, strict=True))


def _canary(recipe: Recipe, canary: str) -> Iterator[dict[str, Any]]:
    slot_s = recipe.slots_s[canary]
    if canary == ALLREDUCE:
        yield {
            "kind": "doubling-allreduce",
            "name": canary,
            "hosts": list(recipe.parts.canaries),
            "message_bytes": _SMALL_BYTES,
            "think_us": recipe.host_us,
            "start_s": _WARMUP_S,
            "stop_s": round(_WARMUP_S + recipe.rings * slot_s, 9),
        }
        return
    for number, ring in enumerate(recipe.parts.rings(recipe.rings, recipe.seed)):
        yield {
            "kind": "ring-exchange",
            "name": f"{canary}-{number + 1}",
            "hosts": ring,
            "message_bytes": _EXCHANGE_BYTES if canary == BANDWIDTH else _SMALL_BYTES,
            "barrier": canary == BANDWIDTH,
            "think_us": recipe.host_us,
            "start_s": round(_WARMUP_S + number * slot_s, 9),
            "stop_s": round(_WARMUP_S + (number + 1) * slot_s, 9),
        }


def _congestors(parts: Parts) -> Iterator[dict[str, Any]]:
    """Sends of 4,096 bytes are handed to the adapter at once, so the two-sided ones are as many as the link takes; who puts or
    gets waits for each to be complete."""
    size, role = {"message_bytes": _CONGESTOR_BYTES}, {"role": "contributor"}
    yield {"kind": "all-to-all", "name": "alltoall", "hosts": list(parts.congestors["alltoall"]), **size, **role}
    root, *others = parts.congestors["incast"]
    yield {"kind": "incast", "name": "incast", "sources": others, "destination": root, **size}
    for name, request, response in (
        ("put", _CONGESTOR_BYTES, _SMALL_BYTES),
        ("get", _GET_REQUEST_BYTES, _CONGESTOR_BYTES),
    ):
        root, *others = parts.congestors[name]
        ends = {"kind": "request-response", "name": name, "clients": others, "servers": [root]}
        yield {**ends, "message_bytes": request, "response_bytes": response, **role}


def _means_us(recipe: Recipe, canary: str, flows: Sequence[Mapping[str, Any]]) -> Iterator[float | None]:
    """Yields the mean of each host in each ring; None for a host that made no round trip."""
    if canary == ALLREDUCE:
        # The first of a host's flows is on the way once in each all-reduce.
        own = [row for row in flows if str(row["name"]).startswith(f"{ALLREDUCE}-")]
        chosen = own[:: number_of_rounds(len(recipe.parts.canaries))]
    else:
        chosen = [row for row in flows if stem(str(row["name"])) == f"{canary}-right"]
    for row in chosen:
        yield row["round_trip_mean_us"] if row["round_trips"] else None


def _whole_samples(seconds: float) -> float:
    return round(max(1, math.ceil(seconds / _SAMPLE_S)) * _SAMPLE_S, 9)
