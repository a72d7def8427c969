# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL fabric`: fabrics of the service, and actions on them."""

from collections.abc import Iterator
from itertools import islice
from typing import Annotated

import typer

from api.cli.server import fabric_diagnose, fabric_import, fabric_twin
from api.cli.server.connect import connect, finish, print_fields, print_list
from api.cli.server.written_plan import write_plan
from api.documents.fabrics import FabricStateOut, ProfileRef
from tuner.cli import common

app = typer.Typer(no_args_is_help=True, help="Import and show the fabrics of a service, and apply profiles to them.")
app.command("import")(fabric_import.import_)
app.command()(fabric_import.keep)
app.command()(fabric_import.versions)
app.command()(fabric_import.revert)
app.command()(fabric_twin.twin)
app.command()(fabric_diagnose.diagnose)

FabricArgument = Annotated[str, typer.Argument(help="Name of the fabric.")]
ProfileArgument = Annotated[str, typer.Argument(help="Name of a profile in the service.")]
VersionOption = Annotated[int | None, typer.Option("--version", help="Version of the profile; by default the latest.")]


@app.command(name="list")
def list_fabrics(output: common.OutputOption = common.Output.TABLE) -> None:
    """List the fabrics."""
    with connect() as service:
        print_list(output, ("name", "kind"), service.fabrics())


@app.command()
def state(fabric: FabricArgument, output: common.OutputOption = common.Output.TABLE) -> None:
    """Print the profile in force on a fabric, and whether its devices hold it."""
    with connect() as service:
        found = service.fabric_state(fabric)
    print_fields(output, found, _fields(found))


def _fields(state: FabricStateOut) -> Iterator[tuple[str, object]]:
    yield "fabric", f"{state.fabric} ({state.kind})"
    yield "reachable", "yes" if state.reachable else f"no: {state.reason}"
    yield "OpenSM", state.sm_state
    yield "in force", _profile(state.active_profile) if state.asks else "not known"
    yield "base", _profile(state.base_profile)
    yield "former base", _profile(state.former_profile)
    if state.as_found is not None:
        in_force = ", in force" if state.as_found.in_force else ""
        unread = f"; {state.as_found.unread:,} not read yet" if state.as_found.unread else ""
        yield "as found", f"{state.as_found.devices:,} devices (revision 0{in_force}){unread}"
    if state.experiment is not None:
        ends = state.experiment.ends_at
        yield "trial run", f"of {state.experiment.owner or 'somebody'}" + (f", until {ends:%H:%M:%S} UTC" if ends else "")
    counts = state.devices.model_dump()
    total = counts.pop("total")
    yield "devices", ", ".join([str(total), *(f"{count} {name.replace('_', ' ')}" for name, count in counts.items() if count)])
    for warning in state.warnings:
        yield "warning", warning


def _profile(profile: ProfileRef | None) -> str | None:
    if profile is None:
        return None
    return profile.name if profile.version is None else f"{profile.name}@{profile.version}"


@app.command()
def plan(
    fabric: FabricArgument,
    profile: ProfileArgument,
    version: VersionOption = None,
    output: common.OutputOption = common.Output.TABLE,
) -> None:
    """Print what applying a profile would send to which devices. Nothing is sent."""
    with connect() as service:
        write_plan(service.plan_profile(fabric, profile, version), profile, output, None)


@app.command()
def apply(
    fabric: FabricArgument,
    profile: ProfileArgument,
    ttl_s: Annotated[int, typer.Option(help="Seconds after which the base profile is restored automatically.")] = 600,
    version: VersionOption = None,
) -> None:
    """Apply a profile as a trial run, and wait until the devices hold it."""
    with connect() as service:
        finish(service, service.apply_profile(fabric, profile, ttl_s=ttl_s, version=version))


@app.command()
def verify(fabric: FabricArgument) -> None:
    """Verify the tables of every device."""
    with connect() as service:
        finish(service, service.verify_fabric(fabric))


@app.command()
def dialects(fabric: FabricArgument) -> None:
    """Ask all devices which congestion-control attributes they have: annex A10's, NVIDIA's, both or none. Nothing is set."""
    with connect() as service:
        finish(service, service.ask_fabric_devices(fabric))


@app.command()
def adopt(fabric: FabricArgument, name: Annotated[str, typer.Option(help="Name of the new profile.")] = "adopted") -> None:
    """Make a profile of what devices held before ibcc set anything on them. Nothing is sent. The exit code is 1 if some hold what
    no profile can say; these are named."""
    with connect() as service:
        made = service.adopt_fabric(fabric, name)
    print(f"profile {made.profile.name} version {made.profile.version}")
    for sentence in made.not_said:
        common.note(sentence)
    if made.devices_not_said:
        raise typer.Exit(1)


@app.command()
def log(
    fabric: FabricArgument,
    number: Annotated[int, typer.Option("--number", "-n", min=1, metavar="N", help="Show the last N trial runs.")] = 50,
    output: common.OutputOption = common.Output.TABLE,
) -> None:
    """List the trial runs on a fabric, newest first: the profile with the revision of its content, what victims got before and
    during each, and what a campaign promised. On the machine of OpenSM, `ibcc fabric log` lists all changes of the plugin.

    Example: `ibcc --server URL fabric log lab -n 5`
    """
    with connect() as service:
        columns = ("began_at", "profile", "version", "revision", "by", "is_over", "sentence")
        runs = list(islice(service.trial_runs(fabric=fabric), number))
        if not runs:
            service.fabric(fabric)  # A fabric that is not there must not read as one without trial runs.
        print_list(output, columns, runs)


@app.command()
def restore(fabric: FabricArgument) -> None:
    """End the trial run now: the base profile is in force again."""
    with connect() as service:
        finish(service, service.restore_fabric(fabric))
