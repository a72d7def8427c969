# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc simulate`: one workload, one profile, one measurement."""

from pathlib import Path
from typing import Annotated

import typer

import ccsim
from ccsim.policy import Profile
from tuner.backends.registry import create_backend
from tuner.cli import common, simulate_trees
from tuner.cli.common import Output
from tuner.cli.one_measurement import measured, show
from tuner.documents.profile import load_profile
from tuner.documents.scheme import scheme_lines
from tuner.documents.workload import Workload, load_workload
from tuner.errors import BadInputError, DeadlockError
from tuner.fabric.one_subnet import chosen_fabric
from tuner.measuring.options import BackendOptions
from tuner.placement.grounds import Grounds

app = typer.Typer()

MAX_SECONDS = 9000.0
"""Longest time that the simulator's clock can hold, in seconds."""

SCHEMES = "\n\n".join(["Schemes, for `--set model.scheme.name=NAME`:", *(f"- {line}" for line in scheme_lines(ccsim.schemes()))])


@app.command(epilog=SCHEMES)
def simulate(
    workload: Annotated[str, typer.Argument(help="Workload document, by path or name.")],
    profile: Annotated[str, typer.Option(help="Profile, by path or name.")] = "off",
    then: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SECONDS:PROFILE",
            help="Switch to PROFILE at SECONDS of the workload's time. Repeatable.",
        ),
    ] = None,
    fabric: Annotated[
        str | None,
        typer.Option(help="Fabric, by path or name, whose hosts play the workload's roles."),
    ] = None,
    subnet: common.SubnetOption = None,
    backend: Annotated[str, typer.Option(help="Run the workload on this backend.")] = "simulated",
    seed: Annotated[int, typer.Option(help="Random seed; the same seed gives the same result.", min=0, max=2**64 - 1)] = 1,
    time_scale: Annotated[
        float, typer.Option(help="Multiply the workload's times, but neither the sample interval nor the timers of CC.")
    ] = 1.0,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", callback=common.can_draw, help="Draw the throughput of every flow over time to this SVG file."
        ),
    ] = None,
    trees: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            callback=common.can_draw,
            help="Draw the congestion trees over time to this HTML file, which has a slider.",
        ),
    ] = None,
    beside: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="Run the workload again with this changed, and show that run beside the first in the file of --trees: "
            "profile=gran-2010, model.switch.read_ports=1. Repeatable.",
        ),
    ] = None,
    allow_credit_loops: common.AllowCreditLoopsOption = False,
    allow_low_memory: common.AllowLowMemoryOption = False,
    settings: common.SettingsOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Run a workload under a profile and show what every flow gets.

    The means are over the window in which all contributors are active and warmed up. JSON is the whole measurement, CSV the
    series of all flows in Gb/s.

    For a scheme that isolates flows it also shows special queues and CAM lines in use over the whole fabric, and for one whose
    switches need CAM lines or larger buffers how much memory that is. For voqnet it says before the run how many queues it may
    need.

    Exit code 1: the run ended in a deadlock, which only `--allow-credit-loops` makes possible; its result is printed.

    Examples:

    - `ibcc simulate scenario-1` shows the victim F1 being held back,

    - `ibcc simulate scenario-1 --profile gran-2010 --plot cured.svg` shows it being cured, and draws it,

    - `ibcc simulate scenario-1 --profile gran-2010 --set profile.ca.ccti_timer=50 --output json -o run.json`,

    - `ibcc simulate scenario-1 --then 2.5:gran-2010 --plot switched-on.svg` switches congestion control on in the middle,

    - `ibcc simulate scenario-1 --trees trees.html --beside profile=gran-2010` shows the congestion trees without and with it.
    """
    changes = common.parse_settings(settings or [])
    common.require_known_prefixes(changes, "profile", "model", "backend")
    chosen = load_profile(profile, common.settings_under(changes, "profile"))
    ground = chosen_fabric(fabric, subnet)
    run = _workload(workload, ground).scaled(time_scale)
    options = BackendOptions(
        fabric=ground,
        settings={k: v for k, v in changes.items() if not k.startswith("profile.")},
        later=[_later(text, time_scale, run) for text in then or []],
        allow_credit_loops=allow_credit_loops,
        allow_low_memory=allow_low_memory,
        profiles=(chosen,),
        owner="ibcc simulate",
        on_warning=common.notes_once(),
    )
    pages = simulate_trees.requested(
        trees, beside or [], run, options, profile=profile, settings=changes, backend=backend, seed=seed
    )
    if pages is not None:
        options = pages.first_options
    measurement = measured(run, chosen, create_backend(backend, options), seed=seed, doing="Simulating")
    show(measurement, title=f"{run.name} on {measurement.fabric}", plot=plot, output=output, output_file=output_file)
    if pages is not None:
        pages.write(measurement)
    if "deadlock" in measurement.counters:
        raise DeadlockError(f"workload '{run.name}' ended in a deadlock; what it measured says nothing about congestion control")


def _workload(reference: str, fabric: str | None) -> Workload:
    """On another fabric, or with nothing but roles: hosts are found for these. Raises BadInputError."""
    read = load_workload(reference)
    if fabric is None and (read.flows or read.patterns):
        return read
    return Grounds(fabric).load([reference])[0].workload


def _later(text: str, time_scale: float, run: Workload) -> tuple[float, Profile]:
    seconds, colon, profile = text.partition(":")
    try:
        at_s = float(seconds)
    except ValueError:
        at_s = -1.0
    if not colon or not 0 <= at_s <= MAX_SECONDS:
        raise BadInputError(f"--then '{text}' is not SECONDS:PROFILE, such as 2.5:gran-2010")
    if at_s * time_scale >= run.duration_s:
        raise BadInputError(f"--then '{text}' comes after the end of workload '{run.name}', at {run.duration_s / time_scale:g} s")
    return at_s * time_scale, load_profile(profile, {})
