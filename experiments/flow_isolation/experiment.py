# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every scheme on every configuration and traffic of Papers V and VI, and the applications."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from experiments._common.fabric_files import fabric_files
from experiments._common.findings import Findings
from experiments._common.run_store import RunStore
from experiments._common.runs import Run, read_all
from experiments.flow_isolation import applications
from experiments.flow_isolation.application_runs import Times, measure_applications
from experiments.flow_isolation.claims import application_claims, claims
from experiments.flow_isolation.configurations import CONFIGURATIONS, VI_2, VI_2_SINGLE, VI_3
from experiments.flow_isolation.curves import figures
from experiments.flow_isolation.outcome import Outcome
from experiments.flow_isolation.reading import Reading
from experiments.flow_isolation.schemes import compared
from experiments.flow_isolation.tables import gains, tables
from experiments.flow_isolation.traffic import BEDS, Bed
from experiments.flow_isolation.trees_page import trees_page
from experiments.registry import Experiment, Options

LARGE = (VI_2, VI_3, VI_2_SINGLE)
"""Configurations that a quick look leaves out."""
SYNTHETIC_PART = 0.6
"""Part of a full run that the beds take; the applications take the rest."""


def run_all(options: Options) -> Findings:
    beds = [bed for bed in BEDS if not (options.quick and bed.configuration in LARGE)]
    part = 1.0 if options.quick else SYNTHETIC_PART
    with fabric_files({one.name: one.fabric for one in CONFIGURATIONS}) as paths:
        outcomes = measure_beds(beds, paths, replace(options, on_progress=lambda done: options.on_progress(done * part)))
        times: Times = {}
        if not options.quick:
            rest = replace(options, on_progress=lambda done: options.on_progress(part + done * (1 - part)))
            times = measure_applications(paths[applications.CONFIGURATION.name], rest)
        pages = {"trees": trees_page(paths)}
    return Findings(
        claims=[*claims(outcomes), *application_claims(times)],
        tables=tables(outcomes, times),
        figures=dict(figures(outcomes)),
        pages=pages,
        data={
            "beds": {outcome.bed.name: _plain(outcome) for outcome in outcomes},
            "applications": {"/".join(key): asdict(time) for key, time in times.items()},
        },
    )


def measure_beds(beds: Sequence[Bed], paths: Mapping[str, str], options: Options) -> list[Outcome]:
    """`paths`: of the fabrics' documents, by configuration. Every scheme that the bed's paper compares."""
    runs: dict[tuple[str, str], Run] = {}
    for bed in beds:
        workload = bed.workload(paths[bed.configuration.name])
        for scheme in compared(bed.configuration.paper):
            runs[bed.name, scheme.name] = scheme.run(bed.configuration, workload)
    read = read_all(
        runs,
        Reading.of,
        workers=options.workers,
        dask=options.dask,
        kept=RunStore.kept_in(options.folder, asdict, lambda kept: Reading(**kept)),
        on_progress=options.on_progress,
    )
    return [
        Outcome(bed=bed, readings={scheme: reading for (name, scheme), reading in read.items() if name == bed.name})
        for bed in beds
    ]


def _plain(outcome: Outcome) -> dict[str, Any]:
    return {
        "gains_in_burst": dict(gains(outcome)),
        "schemes": {
            name: asdict(reading) | {"throughput": outcome.throughput(name)} for name, reading in outcome.readings.items()
        },
    }


EXPERIMENT = Experiment(
    name="flow_isolation",
    question="What do isolation of congested flows, throttling and both together carry when hot spots appear and vanish?",
    source="Papers V and VI of Gran's thesis: CCFIT (ICPP 2011) and EcoCC",
    minutes=5,
    run=run_all,
    takes_dask=True,
)
