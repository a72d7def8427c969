# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc simulate`: one workload, one profile, one measurement."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.markup import escape

from ccsim.policy import Profile
from tuner.backends.registry import BackendOptions, create_backend
from tuner.cli import common
from tuner.cli.common import Output
from tuner.cli.flow_groups import MOST_ROWS, flow_groups, receivers, round_trips
from tuner.cli.sparkline import sparkline
from tuner.documents.profile import load_profile
from tuner.documents.workload import load_workload
from tuner.errors import BadInputError, DeadlockError
from tuner.measurement import Measurement
from tuner.measurement_text import measurement_text

app = typer.Typer()

MAX_SECONDS = 9000.0
"""What the simulator's clock can hold."""

_UNITS = {
    "victim_throughput_gbps": ("victim throughput", "Gb/s"),
    "contributor_total_gbps": ("contributors' total", "Gb/s"),
    "treatment_variation_gbps2": ("treatment variation", "Gb²/s²"),
    "spread_gbps": ("spread of the contributors", "Gb/s"),
    "jain_index": ("Jain's index of the contributors", ""),
    "settle_time_s": ("settle time", "s"),
    "total_throughput_gbps": ("total of all flows", "Gb/s"),
    "round_trip_p99_us": ("round trips, 99th percentile", "µs"),
}


@app.command()
def simulate(
    workload: Annotated[str, typer.Argument(help="Workload document, by path or name.")],
    profile: Annotated[str, typer.Option(help="Profile, by path or name.")] = "off",
    then: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SECONDS:PROFILE",
            help="Put another profile in force at that time of the run, in the workload's own seconds. Repeatable.",
        ),
    ] = None,
    fabric: Annotated[str | None, typer.Option(help="Fabric, by path or name, instead of the workload's own.")] = None,
    backend: Annotated[str, typer.Option(help="Where to measure.")] = "simulated",
    seed: Annotated[
        int, typer.Option(help="Seed of all randomness; the same seed gives the same result.", min=0, max=2**64 - 1)
    ] = 1,
    time_scale: Annotated[
        float, typer.Option(help="Multiply the workload's times, but not the sample interval nor the timers of CC.")
    ] = 1.0,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the throughput of every flow over time into this SVG file.")
    ] = None,
    allow_credit_loops: common.AllowCreditLoopsOption = False,
    settings: common.SettingsOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Run a workload under a profile and show what every flow gets.

    The means are over the window in which all contributors are active and warmed up. JSON is the whole measurement, CSV the
    series of all flows in Gb/s.

    Exit code 1: the run ended in a deadlock, which only `--allow-credit-loops` makes possible; its result is printed.

    Examples:

    - `ibcc simulate scenario-1` shows the victim F1 being held back,

    - `ibcc simulate scenario-1 --profile gran-2010 --plot cured.svg` shows it being cured, and draws it,

    - `ibcc simulate scenario-1 --profile gran-2010 --set profile.ca.ccti_timer=50 --output json -o run.json`,

    - `ibcc simulate scenario-1 --then 2.5:gran-2010 --plot switched-on.svg` switches congestion control on in the middle.
    """
    changes = common.parse_settings(settings or [])
    common.require_known_prefixes(changes, "profile", "model", "backend")
    chosen = load_profile(profile, common.settings_under(changes, "profile"))
    run = load_workload(workload).scaled(time_scale)
    options = BackendOptions(
        fabric=fabric,
        settings={k: v for k, v in changes.items() if not k.startswith("profile.")},
        later=[_later(text, time_scale) for text in then or []],
        allow_credit_loops=allow_credit_loops,
        owner="ibcc simulate",
        on_warning=common.notes_once(),
    )
    fabric_backend = create_backend(backend, options)
    try:
        fabric_backend.open()
        fabric_backend.apply(chosen)
        with common.progress_bar(f"Simulating {run.name}") as on_progress:
            measurement = fabric_backend.measure(run, seed=seed, on_progress=on_progress)
    finally:
        fabric_backend.restore()
        fabric_backend.close()
    if plot is not None:
        from tuner.plots import style, throughput  # slow to import

        svg = throughput.throughput(measurement, title=f"{run.name}, profile {measurement.profile}")
        common.write_text(style.standalone(svg), plot)
    match output:
        case Output.JSON:
            common.write_pieces(measurement_text(measurement), output_file)
        case Output.CSV:
            rows = zip(measurement.t_s.tolist(), *measurement.gbps.tolist(), strict=True)
            common.write_csv(["t_s", *(f"{flow.name}_gbps" for flow in measurement.flows)], rows, output_file)
        case Output.TABLE:
            common.write_rich(report(measurement, title=f"{run.name} on {measurement.fabric}"), output_file)
    if "deadlock" in measurement.counters:
        raise DeadlockError(f"workload '{run.name}' ended in a deadlock; what it measured says nothing about congestion control")


def _later(text: str, time_scale: float) -> tuple[float, Profile]:
    seconds, colon, profile = text.partition(":")
    try:
        at_s = float(seconds)
    except ValueError:
        at_s = -1.0
    if not colon or not 0 <= at_s <= MAX_SECONDS:
        raise BadInputError(f"--then '{text}' is not SECONDS:PROFILE, such as 2.5:gran-2010")
    return at_s * time_scale, load_profile(profile, {})


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
    for key, value in measurement.metrics.to_json().items():
        name, unit = _UNITS[key]
        metrics.add_row(name, "–" if value is None else f"{value:.4g}", unit)
    yield metrics
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
