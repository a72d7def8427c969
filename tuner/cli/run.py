# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc run`: one workload, wherever there are hosts for it."""

from pathlib import Path
from typing import Annotated

import typer

from tuner.backends.registry import create_backend
from tuner.cli import common
from tuner.cli.common import Output
from tuner.cli.one_measurement import measured, show
from tuner.documents.profile import load_profile
from tuner.documents.workload import load_workload
from tuner.errors import BadInputError
from tuner.measuring.options import BackendOptions

app = typer.Typer()


@app.command()
def run(
    workload: Annotated[str, typer.Argument(help="Workload document, by path or name.")],
    backend: Annotated[str, typer.Option(help="Run the workload on this backend.")] = "cluster",
    inventory: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Inventory of the hosts, for the backend cluster; short for --set backend.inventory=FILE."
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(help="Apply this profile during the run, by path or name; by default the fabric is left as it is."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed of the workload.", min=0, max=2**63 - 1)] = 1,
    time_scale: Annotated[float, typer.Option(help="Multiply the workload's times, but not the sample interval.")] = 1.0,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", callback=common.can_draw, help="Draw the throughput of every flow over time to this SVG file."
        ),
    ] = None,
    settings: common.SettingsOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Run a workload, on real hosts by default, and show what every flow gets.

    Without `--profile` the cluster's fabric is neither changed nor held: no plugin is needed then.

    Examples:

    - `ibcc run placed.yaml --inventory site.yaml --plot as-it-is.svg`,

    - `ibcc run placed.yaml --inventory site.yaml --profile gran-2010`,

    - `ibcc run scenario-1 --backend simulated --time-scale 0.05`.
    """
    changes = common.parse_settings(settings or [])
    common.require_known_prefixes(changes, "profile", "model", "backend")
    chosen = None
    if profile is not None:
        chosen = load_profile(profile, common.settings_under(changes, "profile"))
    elif common.settings_under(changes, "profile"):
        raise BadInputError("--set profile.… changes a profile; name it with --profile")
    if backend == "cluster":
        changes |= {} if inventory is None else {"backend.inventory": inventory}
        changes = ({"backend.control": "none"} if chosen is None else {}) | changes
    elif inventory is not None:
        raise BadInputError(f"--inventory {inventory} is for the backend 'cluster'; backend '{backend}' takes none")
    document = load_workload(workload).scaled(time_scale)
    options = BackendOptions(
        settings={k: v for k, v in changes.items() if not k.startswith("profile.")},
        profiles=() if chosen is None else (chosen,),
        owner="ibcc run",
        on_warning=common.notes_once(),
    )
    measurement = measured(document, chosen, create_backend(backend, options), seed=seed, doing="Running")
    show(measurement, title=f"{document.name} on {measurement.fabric}", plot=plot, output=output, output_file=output_file)
