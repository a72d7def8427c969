# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The figures: throughput by scheme, ports without a free queue by scheme, and flows by scheme, over time."""

from collections.abc import Iterator, Sequence

import numpy as np

from experiments.flow_isolation.figures import Panel, over_time
from experiments.flow_isolation.outcome import Outcome
from experiments.flow_isolation.reading import ends_ms
from experiments.flow_isolation.schemes import SCHEMES
from experiments.flow_isolation.traffic import BURST_S
from tuner.report.plots.throughput_by_scheme import throughput_by_scheme


def figures(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, str]]:
    """File stem and SVG of each figure: throughput of each bed, ports without a free queue of each configuration, flows of each
    bed that has some."""
    for outcome in outcomes:
        yield f"throughput-{_stem(outcome)}", _throughput(outcome)
    for configuration in dict.fromkeys(outcome.bed.configuration.name for outcome in outcomes):
        beds = [
            outcome
            for outcome in outcomes
            if outcome.bed.configuration.name == configuration
            and any(reading.exhausted_ports is not None for reading in outcome.readings.values())
        ]
        if beds:
            yield f"ports-without-free-queue-{configuration.lower()}", _exhausted(beds, configuration)
    for outcome in outcomes:
        if outcome.bed.traffic.flows:
            yield f"flows-{_stem(outcome)}", _flows(outcome)


def _stem(outcome: Outcome) -> str:
    return outcome.bed.name.replace("/", "-").replace(",", "").replace(" ", "-").lower()


def _throughput(outcome: Outcome) -> str:
    return throughput_by_scheme(
        {_label(outcome, name): np.array(reading.total_gbps) for name, reading in outcome.readings.items()},
        interval_s=next(iter(outcome.readings.values())).interval_s,
        burst_s=BURST_S if outcome.bed.traffic.trees else None,
        title=outcome.bed.name,
        key=f"throughput-{_stem(outcome)}",
    )


def _exhausted(outcomes: Sequence[Outcome], configuration: str) -> str:
    curves = [
        {_label(outcome, name): r.exhausted_ports for name, r in outcome.readings.items() if r.exhausted_ports is not None}
        for outcome in outcomes
    ]
    panels = [
        Panel(
            title=outcome.bed.name,
            t_ms=ends_ms(next(iter(outcome.readings.values()))),
            curves=each,
            shaded_ms=(BURST_S[0] * 1e3, BURST_S[1] * 1e3) if outcome.bed.traffic.trees else None,
        )
        for outcome, each in zip(outcomes, curves, strict=True)
    ]
    return over_time(
        panels,
        names=list(dict.fromkeys(name for each in curves for name in each)),
        y_label="ports without a free queue",
        title=f"{configuration}: input ports without a free special queue",
        key=f"ports-{configuration.lower()}",
    )


def _flows(outcome: Outcome) -> str:
    flows = [flow["name"] for flow in outcome.bed.traffic.flows]
    panels = [
        Panel(
            title=_label(outcome, name),
            t_ms=ends_ms(reading),
            curves={flow: reading.flows_gbps[flow] for flow in flows},
        )
        for name, reading in outcome.readings.items()
    ]
    title = f"{outcome.bed.name}: bandwidth of each flow"
    return over_time(panels, names=flows, y_label="Gb/s", title=title, key=f"flows-{_stem(outcome)}")


def _label(outcome: Outcome, scheme: str) -> str:
    return next(one.labels[outcome.bed.configuration.paper] for one in SCHEMES if one.name == scheme)
