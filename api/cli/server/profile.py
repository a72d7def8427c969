# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL profile`: the service's profiles, their versions, and what they are on its fabrics."""

from pathlib import Path
from typing import Annotated

import typer

from api.cli.server import profile_live
from api.cli.server.connect import connect, print_list, print_one
from api.client import Client, RefusedError
from api.documents.profiles import ProfileDocument
from ccsim.policy import Profile
from tuner.cli import common
from tuner.cli.common import Output
from tuner.cli.profile_output import write_differences, write_encoding, write_profile
from tuner.documents import catalogue
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError

app = typer.Typer(no_args_is_help=True, help="Manage the profiles of a service; plan, apply, verify and promote them.")
for command in (profile_live.plan, profile_live.apply, profile_live.verify, profile_live.rollback, profile_live.promote):
    app.command()(command)
app.command("clear-foreign")(profile_live.clear_foreign)

ProfileArgument = Annotated[
    str, typer.Argument(help="Profile of the service, NAME or NAME@VERSION, or the path of a local file.", metavar="PROFILE")
]


@app.command(name="list")
def list_profiles(output: common.OutputOption = Output.TABLE) -> None:
    """List the profiles, the latest version of each."""
    with connect() as service:
        print_list(output, ("name", "version", "builtin", "comment", "created_by"), service.profiles())


@app.command()
def get(
    profile: Annotated[str, typer.Argument(help="Profile, NAME or NAME@VERSION.", metavar="PROFILE")],
    output_file: common.OutputFileOption = None,
) -> None:
    """Print a profile (YAML), as it was written."""
    with connect() as service:
        common.write_text(found(service, profile).document, output_file)


@app.command()
def trials(
    profile: Annotated[str, typer.Argument(help="Profile, NAME or NAME@VERSION.", metavar="PROFILE")],
    fabric: Annotated[str | None, typer.Option(help="List only trial runs on this fabric.")] = None,
    output: common.OutputOption = Output.TABLE,
) -> None:
    """List the trial runs of a profile, newest first: what victims got before and during each, and what a campaign promised.

    Example: `ibcc --server URL profile trials mine@2 --output json`
    """
    name, version = profile_live.parted(profile)
    with connect() as service:
        columns = ("began_at", "fabric", "version", "by", "is_over", "sentence")
        print_list(output, columns, service.trial_runs(fabric=fabric, profile=name, version=version))


@app.command()
def put(
    file: Annotated[Path, typer.Argument(help="Profile document, which has the profile's name.")],
    comment: Annotated[str, typer.Option(help="Comment for people.")] = "",
    fabric: Annotated[
        str | None,
        typer.Option(
            help="Fabric to which a new profile belongs: it is used there only, and tokens for the fabric may change it."
        ),
    ] = None,
) -> None:
    """Store a profile, or a new version of one. Nothing on a fabric changes."""
    text = catalogue.find("profile", file).read_text(encoding="utf-8")
    name = load_profile(file).name
    with connect() as service:
        try:
            old = service.profile(name)
        except RefusedError as error:
            if error.status != 404:
                raise
            print_one(service.create_profile(name, text, comment, belongs_to=fabric))
        else:
            print_one(service.change_profile(old, text, comment))


@app.command()
def show(
    profile: ProfileArgument, output: common.OutputOption = Output.TABLE, output_file: common.OutputFileOption = None
) -> None:
    """Show every value with its meaning, the delays of the CCT, and the number of contributors that they can hold back."""
    with connect() as service:
        write_profile(read(service, profile), output, output_file)


@app.command()
def validate(
    profiles: Annotated[
        list[str], typer.Argument(help="Profiles of the service, NAME or NAME@VERSION, or paths of local files.")
    ],
    fabric: Annotated[str | None, typer.Option(help="Fabric of the service on which to check them, too.")] = None,
) -> None:
    """Validate profiles, with `--fabric` also on that fabric. The exit code is 2 if one is not valid."""
    with connect() as service:
        for reference in profiles:
            checked = service.validate_profile(_text(service, reference), fabric)
            for problem in checked.problems:
                raise BadInputError(problem.detail, source=reference, line=problem.line)
            for warning in checked.warnings:
                common.note(f"{reference}: {warning}")
            print(f"{reference}: valid")


@app.command()
def encode(
    profile: ProfileArgument, output: common.OutputOption = Output.TABLE, output_file: common.OutputFileOption = None
) -> None:
    """Show the CCT as it is on the wire, with the rounding error of each entry."""
    with connect() as service:
        write_encoding(read(service, profile), output, output_file)


@app.command()
def diff(
    a: ProfileArgument,
    b: ProfileArgument,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Show the keys in which two profiles differ: two of the service, two versions of one, or a local file and one of those.

    Example: `ibcc --server URL profile diff mine@1 mine@2`
    """
    with connect() as service:
        one, other = read(service, a), read(service, b)
    names = (one.name, other.name) if one.name != other.name else (a, b)
    write_differences(one.diff(other), names, f"{a} and {b} are the same profile", output, output_file)


def found(service: Client, reference: str) -> ProfileDocument:
    """NAME or NAME@VERSION. Raises BadInputError, RefusedError."""
    return service.profile(*profile_live.parted(reference))


def read(service: Client, reference: str) -> Profile:
    """Also of a file here."""
    return load_profile(reference) if catalogue.is_path(reference) else Profile.from_text(found(service, reference).document)


def _text(service: Client, reference: str) -> str:
    if catalogue.is_path(reference):
        return catalogue.find("profile", reference).read_text(encoding="utf-8")
    return found(service, reference).document
