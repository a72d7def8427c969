# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL fabric`: fabrics of the service, and actions on them."""

from typing import Annotated

import typer

from api.cli.server import fabric_import
from api.cli.server.connect import connect, finish, print_list, print_one
from tuner.cli import common

app = typer.Typer(no_args_is_help=True, help="Import and show the fabrics of a service, and apply profiles to them.")
app.command("import")(fabric_import.import_)
app.command()(fabric_import.keep)
app.command()(fabric_import.versions)
app.command()(fabric_import.revert)

FabricArgument = Annotated[str, typer.Argument(help="Name of the fabric.")]
ProfileArgument = Annotated[str, typer.Argument(help="Name of a profile in the service.")]
VersionOption = Annotated[int | None, typer.Option("--version", help="Version of the profile; by default the latest.")]


@app.command(name="list")
def list_fabrics(output: common.OutputOption = common.Output.TABLE) -> None:
    """List the fabrics."""
    with connect() as service:
        print_list(output, ("name", "kind"), service.fabrics())


@app.command()
def state(fabric: FabricArgument) -> None:
    """Print the profile in force on a fabric, and whether its devices hold it, as JSON."""
    with connect() as service:
        print_one(service.fabric_state(fabric))


@app.command()
def plan(fabric: FabricArgument, profile: ProfileArgument, version: VersionOption = None) -> None:
    """Print what applying a profile would send to which devices, as JSON. Nothing is sent."""
    with connect() as service:
        print_one(service.plan_profile(fabric, profile, version))


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
def restore(fabric: FabricArgument) -> None:
    """End the trial run now: the base profile is in force again."""
    with connect() as service:
        finish(service, service.restore_fabric(fabric))
