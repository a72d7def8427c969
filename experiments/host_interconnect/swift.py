# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The same host under Swift, and what a lossy adapter would have dropped: by shape, as the constants are not in print."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from experiments._common.fabric_files import fabric_files
from experiments._common.findings import Claim, Table
from experiments._common.runs import read_all
from experiments.host_interconnect.bed import Host, read_swift
from experiments.registry import Options

HOSTS: Mapping[str, Host] = {
    **{f"IOMMU on, {threads} threads": Host(iommu=True, threads=threads) for threads in (8, 9, 10, 12, 16)},
    "IOMMU off, 15 cores": Host(cores=15),
    "IOMMU on, 15 cores": Host(iommu=True, cores=15),
    "pages of 4 KB, 12 threads": Host(iommu=True, page_bytes=4096),
}
SHORT_S, LONG_S = 0.01, 0.02
"""Drops are those of the second half: the long run's less the short one's, which begins alike."""
DRAINS_GBPS = 81.0
"""Payload above which a buffer of 1 MB drains within the host's target, so that nobody reacts to the host (HotNets 2022, 3.1)."""


@dataclass(frozen=True)
class Row:
    """Under Swift."""

    gbps: float
    host_gbps: float
    """What the host can take."""
    dropped: float
    """Part of what came."""


def swift_rows(options: Options) -> dict[str, Row]:
    hosts = {
        (name, duration_s): replace(host, swift=True, duration_s=duration_s)
        for name, host in HOSTS.items()
        for duration_s in (SHORT_S, LONG_S)
    }
    with fabric_files({key: host.fabric() for key, host in hosts.items()}) as fabrics:
        runs = {key: host.run(fabrics[key]) for key, host in hosts.items()}
        read = read_all(runs, read_swift, workers=options.workers, dask=options.dask)
    rows = {}
    for name, host in HOSTS.items():
        (_, dropped_then, received_then), (gbps, dropped, received) = (read[name, duration_s] for duration_s in (SHORT_S, LONG_S))
        came = received - received_then
        most = host.fabric().modelled_hosts()[0].drain(cores=host.cores)["gbps"]
        rows[name] = Row(gbps, min(most, 92.0), (dropped - dropped_then) / came)
    return rows


def swift_claims(rows: Mapping[str, Row]) -> Iterator[Claim]:
    """None of a quick look."""
    if not rows:
        return
    on = [rows[f"IOMMU on, {threads} threads"] for threads in (8, 9, 10, 12, 16)]
    yield Claim(
        sentence="Swift: nothing is dropped while translations fit or their misses are hidden",
        published="drops begin above 8 threads",
        here=f"{on[0].dropped:.1%} with 8, {on[1].dropped:.1%} with 9, {on[2].dropped:.1%} with 10 threads",
        holds=on[0].dropped == on[1].dropped == 0 < on[2].dropped,
    )
    yield Claim(
        sentence=f"Swift: above {DRAINS_GBPS:g} Gb/s senders do not slow down for the host, which drops what is too much",
        published="drops grow until 12 threads",
        here=f"the host takes {on[2].host_gbps:.1f} Gb/s with 10 threads, and gets {on[2].gbps:.1f}",
        holds=on[2].gbps > 0.99 * on[2].host_gbps > DRAINS_GBPS,
    )
    yield Claim(
        sentence="Swift: below that it reacts, and drops do not end",
        published="drops do not fall to zero",
        here=", ".join(f"{row.dropped:.1%}" for row in on[3:]),
        holds=all(row.dropped > 0 for row in on[3:]),
    )
    worst = max(rows.values(), key=lambda row: abs(row.gbps / row.host_gbps - 1))
    yield Claim(
        sentence="Swift: throughput is within 10 % of what the host can take",
        published="-",
        here=f"{worst.gbps:.1f} of {worst.host_gbps:.1f} Gb/s at the worst",
        holds=abs(worst.gbps / worst.host_gbps - 1) <= 0.1,
    )


def swift_table(rows: Mapping[str, Row]) -> Table:
    return Table(
        title="Under Swift, host target 100 us",
        columns=["host", "takes (Gb/s)", "gets (Gb/s)", "a lossy adapter would have dropped"],
        rows=[[name, f"{row.host_gbps:.1f}", f"{row.gbps:.1f}", f"{row.dropped:.1%}"] for name, row in rows.items()],
    )
