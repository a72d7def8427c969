# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tables of the runs: throughput and gains in the burst, flows and fairness, ports without a free queue, and processor time."""

from collections.abc import Mapping, Sequence

from experiments._common.findings import Table
from experiments.flow_isolation.application_runs import Times
from experiments.flow_isolation.configurations import Paper
from experiments.flow_isolation.outcome import Outcome
from experiments.flow_isolation.schemes import SCHEMES, Scheme

HYBRIDS: Mapping[Paper, str] = {"V": "ccfit", "VI": "ecocc", "VI single": "ccfit"}
"""Scheme that isolates and throttles, by paper."""
OVER: Mapping[Paper, Mapping[str, str]] = {
    "V": {"1VL": "voqsw", "ITh": "ith", "HFDI": "fbicm"},
    "VI": {"1VL": "voqsw", "ITh": "ith", "HFDI": "hfdi"},
    "VI single": {"1VL": "voqsw", "ITh": "ith", "HFDI": "fbicm"},
}
"""Schemes over which it gains, by Paper VI's names for neither, throttling alone, and isolation alone."""


def tables(outcomes: Sequence[Outcome], times: Times) -> list[Table]:
    every = [
        _throughput(outcomes),
        _gains(outcomes),
        *(_flows(outcome) for outcome in outcomes if outcome.bed.traffic.flows),
        _exhausted(outcomes),
        _applications(times),
        _cpu(outcomes, times),
    ]
    return [table for table in every if table.rows]


def gains(outcome: Outcome) -> Mapping[str, float]:
    """Part by which the hybrid scheme of the outcome's paper carries more in the burst, by name in OVER; only over those that
    were measured."""
    paper = outcome.bed.configuration.paper
    found = {name: outcome.gain(HYBRIDS[paper], other) for name, other in OVER[paper].items()}
    return {name: gain for name, gain in found.items() if gain is not None}


def _scheme(name: str) -> Scheme:
    return next(scheme for scheme in SCHEMES if scheme.name == name)


def _measured(outcomes: Sequence[Outcome]) -> list[Scheme]:
    return [scheme for scheme in SCHEMES if any(scheme.name in outcome.readings for outcome in outcomes)]


def _throughput(outcomes: Sequence[Outcome]) -> Table:
    schemes = _measured(outcomes)
    rows = [
        [outcome.bed.name, *(f"{outcome.throughput(s.name):.3f}" if s.name in outcome.readings else "-" for s in schemes)]
        for outcome in outcomes
    ]
    return Table(
        title="Throughput in the burst, or from the last flow's start on, as a part of what the links of all hosts carry",
        columns=["bed", *(scheme.name for scheme in schemes)],
        rows=rows,
    )


def _gains(outcomes: Sequence[Outcome]) -> Table:
    rows = []
    for outcome in outcomes:
        found = gains(outcome) if outcome.bed.traffic.trees else {}
        if found:
            paper = outcome.bed.configuration.paper
            cells = [f"{found[name]:+.1%}" if name in found else "-" for name in OVER[paper]]
            rows.append([outcome.bed.name, _scheme(HYBRIDS[paper]).labels[paper], *cells])
    return Table(
        title="Gains of EcoCC and CCFIT in the burst (HFDI is FBICM where inputs have one read port)",
        columns=["bed", "of", "over 1VL", "over ITh", "over HFDI"],
        rows=rows,
    )


def _flows(outcome: Outcome) -> Table:
    flows = [flow["name"] for flow in outcome.bed.traffic.flows]
    rows = []
    for name in outcome.readings:
        means = outcome.flow_gbps(name)
        label = _scheme(name).labels[outcome.bed.configuration.paper]
        rows.append([label, *(f"{means[flow]:.2f}" for flow in flows), f"{outcome.fairness(name):.3f}"])
    return Table(
        title=f"{outcome.bed.name}: flows from the last one's start on, in Gb/s, and Jain's index of the contributors",
        columns=["scheme", *flows, "fairness"],
        rows=rows,
    )


def _exhausted(outcomes: Sequence[Outcome]) -> Table:
    rows = []
    for outcome in outcomes:
        for name, reading in outcome.readings.items():
            ports = reading.exhausted(outcome.bed.traffic.judged_s)
            if ports:
                rows.append([outcome.bed.name, name, f"{sum(ports) / len(ports):.1f}", f"{max(ports)}"])
    return Table(
        title="Input ports of switches without a free queue for another tree, in the burst",
        columns=["bed", "scheme", "mean", "most"],
        rows=rows,
    )


def _applications(times: Times) -> Table:
    schemes = [scheme for scheme in SCHEMES if any(key.scheme == scheme.name for key in times)]
    norm = "voqnet" if any(scheme.name == "voqnet" for scheme in schemes) else None
    rows = []
    for application, scenario, placement in dict.fromkeys((key.application, key.scenario, key.placement) for key in times):
        cells = []
        for scheme in schemes:
            found = {key.scheme: time for key, time in times.items() if key.run == (application, scenario, placement)}
            time = found.get(scheme.name)
            if time is None:
                cells.append("-")
                continue
            least = "" if time.whole else "about "
            relative = f" ({time.done_ms / found[norm].done_ms:.2f})" if norm is not None and norm in found else ""
            cells.append(f"{least}{time.done_ms:.2f}{relative}")
        rows.append([application, scenario, placement, *cells])
    return Table(
        title="Time in ms until an application has done its rounds, and in brackets that time by VOQnet's",
        columns=["application", "scenario", "ranks", *(scheme.labels["VI"] for scheme in schemes)],
        rows=rows,
    )


def _cpu(outcomes: Sequence[Outcome], times: Times) -> Table:
    rows = [
        [outcome.bed.name, name, f"{reading.cpu_s:.2f}", f"{reading.packet_hops / reading.cpu_s / 1e6:.1f}"]
        for outcome in outcomes
        for name, reading in outcome.readings.items()
        if reading.cpu_s > 0
    ]
    rows += [
        [f"{key.application}/{key.scenario}, {key.placement}", key.scheme, f"{time.cpu_s:.2f}", "-"]
        for key, time in times.items()
    ]
    return Table(
        title="Processor time of each simulation", columns=["run", "scheme", "CPU s", "million packet hops a CPU s"], rows=rows
    )
