# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The paper's four curves, and claims on the numbers that its text has."""

from collections.abc import Iterator, Mapping

from experiments._common.bands import Panel, bands
from experiments._common.fabric_files import fabric_files
from experiments._common.findings import Claim, Findings, Table
from experiments._common.reference import reference
from experiments._common.run_store import numbers_in
from experiments._common.runs import read_all
from experiments.host_interconnect.bed import Host, received_gbps
from experiments.host_interconnect.swift import swift_claims, swift_rows, swift_table
from experiments.registry import Experiment, Options

OFF, ON, SMALL = "IOMMU off", "IOMMU on", "IOMMU on, pages of 4 KB"
THREADS, CORES, REGIONS_MIB = range(2, 17), range(16), (4, 8, 12, 16)
FALLEN = 0.985
"""Part of its highest value below which a curve has begun to fall."""

Curve = Mapping[int, float]


def published(path: str) -> dict[int, float]:
    """Returns points of a curve that print has as numbers."""
    return {int(at): gbps for at, gbps in reference(f"host_interconnect.{path}").items()}


def hosts(*, quick: bool) -> dict[tuple[str, str, int], Host]:
    """By curve's axis and name, and by its parameter."""
    step = 2 if quick else 1
    found: dict[tuple[str, str, int], Host] = {}
    for threads in THREADS[::step]:
        found["threads", OFF, threads] = Host(threads=threads)
        found["threads", ON, threads] = Host(threads=threads, iommu=True)
        found["threads", SMALL, threads] = Host(threads=threads, iommu=True, page_bytes=4096)
    for region in REGIONS_MIB:
        found["regions", ON, region] = Host(region_mib=region, iommu=True)
    for cores in CORES if not quick else (0, 6, 10, 15):
        found["cores", OFF, cores] = Host(cores=cores)
        found["cores", ON, cores] = Host(cores=cores, iommu=True)
    return found


def run_all(options: Options) -> Findings:
    wanted = hosts(quick=options.quick)
    with fabric_files({host: host.fabric() for host in set(wanted.values())}) as fabrics:
        gbps = read_all(
            {key: host.run(fabrics[host]) for key, host in wanted.items()},
            received_gbps,
            workers=options.workers,
            dask=options.dask,
            kept=numbers_in(options.folder),
            on_progress=options.on_progress,
        )
    swift = {} if options.quick else swift_rows(options)
    curves: dict[str, dict[str, dict[int, float]]] = {}
    for (axis, name, at), value in gbps.items():
        curves.setdefault(axis, {}).setdefault(name, {})[at] = value
    return Findings(
        claims=[*claims(curves, quick=options.quick), *swift_claims(swift)],
        tables=[
            _table("receiver threads", curves["threads"]),
            _table("MiB a thread", curves["regions"]),
            _table("cores", curves["cores"]),
            *([swift_table(swift)] if swift else []),
        ],
        figures=_figures(curves),
        data={axis: {name: {str(at): v for at, v in curve.items()} for name, curve in of.items()} for axis, of in curves.items()},
    )


def claims(curves: Mapping[str, Mapping[str, Curve]], *, quick: bool) -> Iterator[Claim]:
    """On ends that print has as numbers, and on knees."""
    threads, cores = curves["threads"], curves["cores"]
    most = reference("host_interconnect.most_gbps")
    yield _near("IOMMU off, 16 threads: what the network brings", most, threads[OFF][16])
    yield _near("IOMMU off, 4 threads: the CPU is the limit, 11.5 Gb/s a thread", most / 2, threads[OFF][4])
    for at, gbps in published("threads.on_gbps").items():
        how = "fitted" if at == 12 else "not fitted"
        yield _near(f"IOMMU on, {at} threads ({how})", gbps, threads[ON][at])
    small = reference("host_interconnect.threads.small_pages_at_most_gbps")
    yield _near("pages of 4 KB, 16 threads: more than 30 % less", small, threads[SMALL][16], at_most=True)
    limit = reference("host_interconnect.threads.small_pages_limit_at_most")
    yield Claim(
        sentence="pages of 4 KB: the limit comes with fewer threads, below 81 Gb/s",
        published=f"with {limit} threads",
        here=f"{threads[SMALL][limit]:.1f} Gb/s with {limit}, {threads[OFF][limit]:.1f} with the IOMMU off",
        holds=threads[SMALL][limit] < min(81.0, threads[OFF][limit]),
    )
    yield _near("IOMMU on, 16 MiB a thread", reference("host_interconnect.region_16_mb_gbps"), curves["regions"][ON][16])
    yield _near("IOMMU off, 15 cores (fitted)", published("cores.off_gbps")[15], cores[OFF][15])
    yield _near("IOMMU on, 15 cores (not fitted)", published("cores.on_gbps")[15], cores[ON][15])
    if quick:
        return
    yield from _knees(threads, cores)


def _knees(threads: Mapping[str, Curve], cores: Mapping[str, Curve]) -> Iterator[Claim]:
    beyond = reference("host_interconnect.threads.on_falls_beyond")
    yield _knee("IOMMU on falls with more threads than fit", beyond + 1, threads[ON], within=1)
    yield _knee(
        "IOMMU on: number of cores from which on it falls",
        reference("host_interconnect.cores.on_falls_from"),
        cores[ON],
        within=1,
    )
    known = _knee(
        "IOMMU off: number of cores from which on it falls",
        reference("host_interconnect.cores.off_falls_from"),
        cores[OFF],
        within=1,
    )
    yield Claim(sentence=known.sentence, published=known.published, here=known.here, holds=known.holds, known_to_fail=True)


def _near(sentence: str, published: float, here: float, *, at_most: bool = False) -> Claim:
    tolerance = reference("host_interconnect.tolerance")
    off = here / published - 1
    holds = off <= tolerance if at_most else abs(off) <= tolerance
    bound = "at most " if at_most else ""
    return Claim(
        sentence=f"{sentence}, within 12 %",
        published=f"{bound}{published:.1f} Gb/s",
        here=f"{here:.1f} Gb/s ({off:+.1%})",
        holds=holds,
    )


def falls_from(curve: Curve) -> int:
    """The first parameter behind the highest value at which a curve is below FALLEN of it; the end of the curve if none is."""
    top = max(curve.values())
    peak = next(at for at, value in curve.items() if value >= FALLEN * top)
    return next((at for at, value in curve.items() if at > peak and value < FALLEN * top), max(curve))


def _knee(sentence: str, published: int, curve: Curve, *, within: int) -> Claim:
    here = falls_from(curve)
    return Claim(sentence=sentence, published=str(published), here=str(here), holds=abs(here - published) <= within)


def _table(parameter: str, curves: Mapping[str, Curve]) -> Table:
    return Table(
        title=f"Gb/s by {parameter}",
        columns=[parameter, *curves],
        rows=[[str(at), *(f"{curve[at]:.1f}" for curve in curves.values())] for at in next(iter(curves.values()))],
    )


def _figures(curves: Mapping[str, Mapping[str, Curve]]) -> dict[str, str]:
    labels = {"threads": "receiver threads", "regions": "MiB that a thread registers", "cores": "memory-bound cores"}
    points: dict[str, dict[str, dict[int, float]]] = {
        "threads": {OFF: {8: 92.0, 16: 92.0}, ON: published("threads.on_gbps")},
        "regions": {ON: {12: 81.0, 16: reference("host_interconnect.region_16_mb_gbps")}},
        "cores": {OFF: published("cores.off_gbps"), ON: published("cores.on_gbps")},
    }
    return {
        axis: bands(
            [
                Panel(
                    y_label="throughput (Gb/s)",
                    curves={name: {at: [value] for at, value in curve.items()} for name, curve in of.items()},
                    points=points[axis],
                )
            ],
            x_label=labels[axis],
            title="A congested host",
            key=axis,
        )
        for axis, of in curves.items()
    }


EXPERIMENT = Experiment(
    name="host_interconnect",
    question="Does the model of a host fall where a real one does, by threads, pages, and memory-bound cores?",
    source="Agarwal et al., HotNets 2022, Figures 3 to 6",
    minutes=0.5,
    run=run_all,
    takes_dask=True,
)
