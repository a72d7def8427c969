# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Parts that the commands for one measurement share: making it, and showing it to people and programs."""

from collections.abc import Iterator
from pathlib import Path

from rich.console import RenderableType
from rich.markup import escape

from ccsim.policy import Profile
from tuner.cli import common
from tuner.cli.common import MOST_ROWS, Output
from tuner.cli.flow_groups import flow_groups, receivers, round_trips
from tuner.cli.host_tables import host_tables
from tuner.cli.scheme_tables import scheme_tables
from tuner.cli.sparkline import sparkline
from tuner.documents.workload import Workload
from tuner.goals.metrics import METRICS
from tuner.measuring.backend import Backend
from tuner.measuring.measurement import Measurement
from tuner.measuring.measurement_text import measurement_text
from tuner.measuring.room import with_room


def measured(workload: Workload, profile: Profile | None, backend: Backend, *, seed: int, doing: str) -> Measurement:
    """Opens the backend, and restores and closes it whatever happens. Without a profile the one that is in force stays."""
    try:
        backend.open()
        if profile is not None:
            backend.apply(profile)
        with common.progress_bar(f"{doing} {workload.name}") as on_progress:
            measurement = backend.measure(workload, seed=seed, on_progress=on_progress)
        return measurement if profile is None else with_room(measurement, profile)
    finally:
        backend.restore()
        backend.close()


def show(measurement: Measurement, *, title: str, plot: Path | None, output: Output, output_file: Path | None) -> None:
    """Draws it if `plot` is given, and prints it."""
    if plot is not None:
        from tuner.report.plots import modelled_hosts, style, throughput  # slow to import

        drawing_title = f"{title.partition(' on ')[0]}, profile {measurement.profile}"
        if modelled_hosts.has_modelled_hosts(measurement):
            svg = modelled_hosts.modelled_hosts(measurement, title=drawing_title, beside_throughput=True)
        else:
            svg = throughput.throughput(measurement, title=drawing_title)
        common.write_text(style.standalone(svg), plot)
    match output:
        case Output.JSON:
            common.write_pieces(measurement_text(measurement), output_file)
        case Output.CSV:
            rows = zip(measurement.t_s.tolist(), *measurement.gbps.tolist(), strict=True)
            common.write_csv(["t_s", *(f"{flow.name}_gbps" for flow in measurement.flows)], rows, output_file)
        case Output.TABLE:
            common.write_rich(report(measurement, title=title), output_file)


def report(measurement: Measurement, *, title: str) -> Iterator[RenderableType]:
    """A measurement for people."""
    yield (
        f"[bold]{escape(title)}[/bold], profile {escape(measurement.profile)}, {measurement.duration_s:g} s, "
        f"seed {measurement.seed}, samples of {measurement.interval_s * 1e3:g} ms"
    )
    if len(measurement.flows) > MOST_ROWS:
        yield flow_groups(measurement)
        yield from receivers(measurement.counters.get("hosts", ()))
    else:
        yield _flow_by_flow(measurement)
    yield from round_trips(measurement.counters.get("flows", ()))
    metrics = common.table("Metric", "Value", "Unit", right=["Value"])
    values = measurement.metrics.to_json()
    for metric in (metric for metric in METRICS.values() if metric.key in values):
        value = values[metric.key]
        metrics.add_row(metric.label, "–" if value is None else f"{value:.4g}", "" if metric.unit == "1" else metric.unit)
    yield metrics
    yield from host_tables(measurement.counters.get("modelled_hosts", ()))
    yield from scheme_tables(measurement.counters.get("scheme", {}))
    yield from (escape(f"Note: {sentence}.") for sentence in measurement.counters.get("notes", ()))
    cost = measurement.performance
    if cost.packet_hops is not None and cost.packet_hops_per_cpu_s is not None:
        speed = cost.packet_hops_per_cpu_s / 1e6
        yield f"{cost.packet_hops / 1e6:.1f} M packet-hops in {cost.cpu_s:.2f} CPU s: {speed:.1f} M/s, {cost.max_rss_mib:.0f} MiB"


def _flow_by_flow(measurement: Measurement) -> RenderableType:
    top = float(measurement.gbps.max(initial=0))
    flows = common.table("Flow", "From → to", "Role", "Mean Gb/s", f"0 … {top:.1f} Gb/s over the run", right=["Mean Gb/s"])
    for flow, series in zip(measurement.flows, measurement.gbps, strict=True):
        ends = escape(f"{flow.src} → {flow.dst}")
        flows.add_row(escape(flow.name), ends, flow.role, f"{flow.mean_gbps:.3f}", sparkline(series, top=top))
    return flows
