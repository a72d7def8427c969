# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL profile plan|apply|verify|rollback|promote`: profiles on a fabric of the service."""

import sys
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from api.cli.server.connect import FabricOption, connect, ended, the_fabric
from api.cli.server.follow import command
from api.cli.server.written_plan import write_plan
from api.client import Client
from api.documents.fabrics import PlanOut
from api.documents.jobs import JobDocument
from tuner.cli import common
from tuner.cli.common import Output
from tuner.documents import catalogue
from tuner.errors import BadInputError, InterruptedRunError, NeedsPersonError
from tuner.opensm.device_states import found_drifts, told_away

ProfileArgument: TypeAlias = Annotated[
    str, typer.Argument(help="Profile of the service: NAME, or NAME@VERSION for another version than the latest.")
]


def plan(
    profile: ProfileArgument,
    fabric: FabricOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Show what promoting a profile would change on which devices, and what applying it would send now where that differs, as
    during a trial run. Nothing is sent.

    Example: `ibcc --server URL profile plan gran-2010 --fabric two-switch`
    """
    name, version = parted(profile)
    with connect() as service:
        write_plan(service.plan_profile(the_fabric(service, fabric), name, version), profile, output, output_file)


def apply(
    profile: ProfileArgument,
    ttl: Annotated[
        int | None, typer.Option(metavar="SECONDS", min=1, help="Restore the base profile after this many seconds.")
    ] = None,
    fabric: FabricOption = None,
    wait: common.WaitOption = True,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Apply a profile as a trial run. The base profile is restored automatically, even if the service ends before.

    Exit codes are those of `ibcc profile apply`: 4 if too many devices failed and the base is in force again, 5 if some
    do not hold the profile, or somebody else has a trial run.

    Example: `ibcc --server URL profile apply gran-2010 --ttl 600`
    """
    name, version = parted(profile)
    if ttl is None:
        raise BadInputError(
            "a service applies profiles for a limited time only, --ttl SECONDS; to make one the base use "
            "`ibcc --server URL profile promote`"
        )
    with connect() as service:
        chosen = the_fabric(service, fabric)
        job = service.apply_profile(chosen, name, ttl_s=ttl, version=version)
        _end(service, chosen, job, wait, output, output_file)


def verify(
    fabric: FabricOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Verify the tables of all devices. The exit code is 1 if one held other values, is not responding, or has refused or
    clamped a value; tables that differ are set again."""
    with connect() as service:
        job = service.verify_fabric(the_fabric(service, fabric))
        result = ended(service, job)
    wrong, counts = result["wrong"], result["devices"]
    match output:
        case Output.JSON:
            common.write_json({"verified": result["good"], "job": job.id, **result}, output_file)
        case Output.CSV:
            header = ["guid", "port", "name", "state"]
            common.write_csv(header, [[row[key] for key in header] for row in wrong], output_file)
        case Output.TABLE:
            told = f"{counts['applied']:,} of {counts['total'] - counts['unsupported']:,} devices hold the wanted tables"
            if result["drifted"]:
                told += f"; {found_drifts(result['drifted'])}, and set again"
            if away := result.get("away"):  # not of an older service
                told += told_away(away["names"], away["count"])
            named = [f"{row['name']} port {row['port']}: {row['state']}" for row in wrong]
            common.write_text("\n".join([*named, told]) + "\n", output_file)
    if not result["good"]:
        raise typer.Exit(1)


def rollback(
    fabric: FabricOption = None,
    plan_only: Annotated[bool, typer.Option("--plan", help="Show what would change on which devices, and send nothing.")] = False,
    wait: common.WaitOption = True,
    output: common.OutputOption = Output.TABLE,
) -> None:
    """End the trial run; without one, roll back to the former base profile.

    Example: `ibcc --server URL profile rollback --plan --fabric two-switch`
    """
    with connect() as service:
        chosen = the_fabric(service, fabric)
        trying = service.fabric_state(chosen).experiment is not None
        if plan_only and trying:
            raise NeedsPersonError(
                f"a trial run is in force on '{chosen}', and a rollback ends it: devices get the base profile back; plan again "
                "after that"
            )
        if plan_only:
            planned = service.plan_rollback(chosen)
            write_plan(planned, planned.wanted.name, output, None)
            return
        _end(service, chosen, service.restore_fabric(chosen) if trying else service.roll_back_fabric(chosen), wait, output, None)


def clear_foreign(
    fabric: FabricOption = None, wait: common.WaitOption = True, output: common.OutputOption = Output.TABLE
) -> None:
    """Clear NVIDIA's congestion control on devices that somebody else has switched on: those in state `foreign`.

    Where the fabric requires a second person, the exit code is 5 until another admin has asked for the same.
    """
    with connect() as service:
        chosen = the_fabric(service, fabric)
        asked = service.clear_foreign(chosen)
        if asked.job is None:
            raise NeedsPersonError(f"nothing is cleared yet: {asked.needs} is missing")
        _end(service, chosen, asked.job, wait, output, None)


def promote(
    profile: ProfileArgument,
    fabric: FabricOption = None,
    plan_digest: Annotated[
        str | None,
        typer.Option(
            metavar="DIGEST", help="Of the plan that you have looked at, as `profile plan` tells it; without, it is shown here."
        ),
    ] = None,
    comment: Annotated[str, typer.Option(help="For people: why.")] = "",
    wait: common.WaitOption = True,
    output: common.OutputOption = Output.TABLE,
) -> None:
    """Make a profile the base of a fabric, after a review of what is sent to which devices.

    On a terminal the plan is shown and must be confirmed. Elsewhere give the digest of the plan that was reviewed: the service
    refuses if the plan has changed. Where a second person must approve, the exit code is 5, and the command to approve is
    printed.

    Example: `ibcc --server URL profile promote gran-2010@1 --fabric two-switch --plan-digest 0f3c…`
    """
    name, version = parted(profile)
    with connect() as service:
        chosen = the_fabric(service, fabric)
        shown = service.plan_profile(chosen, name, version)
        digest = plan_digest or _agreed(shown, profile, chosen)
        assert shown.wanted.version is not None
        promotion = service.promote(chosen, name, shown.wanted.version, digest, comment)
        if promotion.job is None:
            raise NeedsPersonError(
                f"promotion {promotion.id} waits for {promotion.needs}: {command('promotion', 'approve', promotion.id)}"
            )
        _end(service, chosen, service.job(promotion.job), wait, output, None)


def parted(reference: str) -> tuple[str, int | None]:
    """The name, and the version if there is one. Raises BadInputError."""
    if catalogue.is_path(reference):
        raise BadInputError(
            f"'{reference}' is a local file; store it in the service with "
            f"ibcc --server URL profile put {reference}, and use its name"
        )
    name, at, version = reference.partition("@")
    if at and not (version.isascii() and version.isdecimal() and 1 <= int(version) < 2**31):
        raise BadInputError(f"profile '{reference}': '{version}' is not a version; NAME@VERSION would be right, such as mine@2")
    return name, int(version) if at else None


def _agreed(plan: PlanOut, profile: str, fabric: str) -> str:
    """The digest of the plan, once a person has seen it and said yes. Raises BadInputError where nobody can be asked."""
    if not sys.stdin.isatty():
        raise BadInputError(
            f"there is no terminal on which to confirm the plan; give its digest with --plan-digest {plan.digest}, "
            f"after `ibcc --server URL profile plan {profile} --fabric {fabric}`"
        )
    write_plan(plan, profile, Output.TABLE, None)
    if not typer.confirm(f"Make {profile} the base profile of {fabric}?"):
        raise InterruptedRunError("nothing was done")
    return plan.digest


def _end(service: Client, fabric: str, job: JobDocument, wait: bool, output: Output, file: Path | None) -> None:
    """Waits for the job, if that is wanted, and tells what came of it. Raises NeedsPersonError for devices that are wrong."""
    if not wait:
        common.write_text(f"job {job.id}; wait for it with: {command('job', 'wait', job.id)}\n", file)
        return
    try:
        result: dict[str, Any] = ended(service, job)
    except KeyboardInterrupt:
        raise InterruptedRunError(
            f"interrupted; job {job.id} keeps running in the service; "
            f"{command('profile', 'rollback', '--fabric', fabric)} undoes it"
        ) from None
    states = result["devices"]
    match output:
        case Output.JSON:
            common.write_json({"revision": result["revision"], "job": job.id, **result}, file)
        case Output.CSV:
            common.write_csv(["revision", *states], [[result["revision"], *states.values()]], file)
        case Output.TABLE:
            counts = ", ".join(f"{count:,} {state.replace('_', ' ')}" for state, count in states.items() if count)
            common.write_text(f"revision {result['revision']} counts: {result['message']} ({counts})\n", file)
    if result["wrong"]:
        names = ", ".join(row["name"] for row in result["wrong"][:5])
        raise NeedsPersonError(
            f"not all devices hold the profile: {names}; `ibcc --server URL fabric state {fabric}` has the details"
        )
