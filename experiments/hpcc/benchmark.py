# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""HPCC's numbers from rounds of closed loops, as its source (bench_lat_bw 1.5) computes them.

Table III's own minima, means and maxima say who plays: of 12 ordered pairs of processes 4 are on one host. (4 min + 8 max) / 12
is the printed mean within 2 % in all three columns, and congestion leaves the 4 as they are. So there are two hosts with two
processes each, as the victim flow F1 has (H1 and H4, each with a CPU of two cores). A ring of four in natural order that is
slower than the mean of random ones has all its neighbours on the other host.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from experiments._common.reference import reference
from experiments._common.runs import Run
from experiments.hpcc.bed import LARGE_BYTES, SMALL_BYTES, Network, ping_pong, ring, run

ON_ONE_HOST, ACROSS = 4, 8
"""Ordered pairs of the four processes."""
RANDOM_ALL_ACROSS = 1 / 3
"""The share of random rings of four in which all neighbours are on the other host. In the other rings one of two is."""


@dataclass(frozen=True, kw_only=True)
class Host:
    """What a host adds to the simulated network's time."""

    overhead_us: float
    """Software and adapters, of one message between hosts."""
    memory_us: float
    """A small message between processes of one host."""
    memory_MBps: float  # noqa: N815 -- the unit
    """Bandwidth of a large one."""

    @classmethod
    def calibrated(cls, bare_round_us: float) -> "Host":
        """From the first column's ping-pong: latency between hosts (its maximum) less `bare_round_us` / 2, the network's own, and
        the two values of processes on one host, where there is no network."""
        return cls(
            overhead_us=reference("hpcc.latency_us.ping_pong_max")[0] - bare_round_us / 2,
            memory_us=reference("hpcc.latency_us.ping_pong_min")[0],
            memory_MBps=reference("hpcc.bandwidth_MBps.ping_pong_min")[0],
        )

    def memory_of(self, bytes_: int) -> float:
        """Time in µs of a message each way between the two processes of a host, who share its memory."""
        return self.memory_us if bytes_ == SMALL_BYTES else 2 * bytes_ / self.memory_MBps


def runs(network: Network, host: Host, *, seed: int, quick: bool) -> dict[tuple[str, int], Run]:
    """By loop (`pair`, `all across`, `half across`) and bytes. A host's two messages of a round cost it their overheads one after
    the other."""
    chosen: dict[tuple[str, int], Run] = {}
    for bytes_ in (SMALL_BYTES, LARGE_BYTES):
        within = host.overhead_us + host.memory_of(bytes_)
        loops = {
            "pair": ping_pong(bytes_, 2 * host.overhead_us),
            "all across": ring(bytes_, 2 * host.overhead_us, neighbours=2),
            "half across": ring(bytes_, within, neighbours=1),
        }
        chosen |= {(name, bytes_): run(network, patterns, seed=seed, quick=quick) for name, patterns in loops.items()}
    return chosen


def results(rounds_us: Mapping[tuple[str, int], float], host: Host) -> dict[str, float]:
    """HPCC's rows by dotted name as in reference.yaml, latencies in µs and bandwidths in MB/s, from the rounds of `runs`.

    A latency is half a round, of the ring's two messages as of the ping-pong's; a bandwidth is a message over that. Of random
    rings the geometric mean counts.
    """

    def halves(bytes_: int) -> tuple[float, float, float]:
        natural, mixed = rounds_us["all across", bytes_] / 2, rounds_us["half across", bytes_] / 2
        return rounds_us["pair", bytes_] / 2, natural, natural**RANDOM_ALL_ACROSS * mixed ** (1 - RANDOM_ALL_ACROSS)

    (small, *small_rings), (large, *large_rings) = halves(SMALL_BYTES), halves(LARGE_BYTES)
    return {
        "latency_us.ping_pong_max": small,
        "latency_us.ping_pong_avg": mean_of_pairs(host.memory_us, small),
        "latency_us.natural_ring": small_rings[0],
        "latency_us.random_ring": small_rings[1],
        "bandwidth_MBps.ping_pong_across": LARGE_BYTES / large,
        "bandwidth_MBps.ping_pong_avg": mean_of_pairs(host.memory_MBps, LARGE_BYTES / large),
        "bandwidth_MBps.natural_ring": LARGE_BYTES / large_rings[0],
        "bandwidth_MBps.random_ring": LARGE_BYTES / large_rings[1],
    }


def published(row: str, column: int) -> float:
    """Table III. With congestion and CC off pairs across are the slower ones, and the table's minimum."""
    if row == "bandwidth_MBps.ping_pong_across":
        row = "bandwidth_MBps.ping_pong_min" if column == 1 else "bandwidth_MBps.ping_pong_max"
    value: float = reference(f"hpcc.{row}")[column]
    return value


def mean_of_pairs(on_one_host: float, across: float) -> float:
    return (ON_ONE_HOST * on_one_host + ACROSS * across) / (ON_ONE_HOST + ACROSS)
