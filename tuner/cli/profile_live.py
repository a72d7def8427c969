# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc profile plan|apply|verify|commit|rollback`: profiles on the fabric that OpenSM runs, through its plugin."""

from collections import Counter
from typing import Annotated, Any

import typer
from rich.markup import escape

from tuner.cli import common
from tuner.cli.common import Output
from tuner.cli.fabric_live import device_table
from tuner.cli.plugin_connection import SocketOption, connected, require_done, waited
from tuner.documents import catalogue
from tuner.documents.profile import load_profile
from tuner.documents.profile_warnings import profile_warnings
from tuner.errors import InterruptedRunError, NeedsPersonError
from tuner.opensm.device_states import (
    NOT_READY,
    counted_wrong,
    first_names,
    found_drifts,
    known_state,
    names_away,
    not_holding,
    remarks_on,
    told_away,
)
from tuner.opensm.nowhere import NEXT_STEP, held_by_none
from tuner.opensm.plugin_client import Accepted, PluginClient

ProfileArgument = Annotated[str, typer.Argument(help="Profile, by path or name.")]

RevisionOption = Annotated[
    int | None, typer.Option(min=1, help="Only if this revision is in force, as `ibcc fabric status` shows it.")
]


def plan(
    profile: ProfileArgument,
    settings: common.SettingsOption = None,
    socket: SocketOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Count what applying a profile would change on the fabric; nothing is sent.

    Example: `ibcc profile plan gran-2010 --set profile.ca.ccti_timer=200`
    """
    text = _document(profile, settings)
    with connected(socket) as client:
        found = client.plan(text)
    for warning in found["warnings"]:
        common.note(f"{profile}: {warning}")
    match output:
        case Output.JSON:
            common.write_json(found, output_file)
        case Output.CSV:
            keys = [key for key in found if key not in ("changes", "warnings")]
            common.write_csv(keys, [[found[key] for key in keys]], output_file)
        case Output.TABLE:
            told = f"{found['switches']:,} switches and {found['cas']:,} ports of adapters would receive {found['sets']:,} Sets"
            if found["unknown"]:
                told += f"; the tables of {found['unknown']:,} devices are not known"
            common.write_text(told + "\n", output_file)


def apply(
    profile: ProfileArgument,
    ttl: Annotated[
        int | None,
        typer.Option(
            metavar="SECONDS",
            min=0,
            help="Start a trial run of this length, at most 2592000 (30 days); 0: until commit or rollback. By default the "
            "profile becomes the base.",
        ),
    ] = None,
    if_revision: Annotated[int | None, typer.Option(min=1, help="Only if this revision is in force.")] = None,
    wait: common.WaitOption = True,
    settings: common.SettingsOption = None,
    socket: SocketOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Apply a profile to the fabric, for a time or for good.

    With `--ttl` the base profile comes back by itself, even if OpenSM or this command ends before. The exit code is 0 if every
    device that supports congestion control holds the profile, 4 if too many devices failed and the base is in force again, and 5
    if some are not responding, refused a value, or are not sent all of it, or if no device has the attributes that the profile
    writes: the profile is in force all the same, and those that may take it later are retried.

    Examples:

    - `ibcc profile apply gran-2010 --ttl 600` tries it for ten minutes,

    - `ibcc profile commit` keeps it.
    """
    text = _document(profile, settings)
    with connected(socket) as client:
        client.subscribe(["applied", "restored", "progress"])
        try:
            accepted = client.apply(text, ttl_s=ttl, if_revision=if_revision)
            _end(client, accepted, wait, output, output_file)
        except KeyboardInterrupt:
            raise InterruptedRunError(_goes_on(ttl)) from None


def commit(revision: RevisionOption = None, socket: SocketOption = None, wait: common.WaitOption = True) -> None:
    """Make the profile of the trial run the base profile."""
    with connected(socket) as client:
        client.subscribe(["applied", "restored", "progress"])
        _end(client, client.commit(_meant(client, revision)), wait)


def rollback(revision: RevisionOption = None, socket: SocketOption = None, wait: common.WaitOption = True) -> None:
    """End the trial run; without one, return to the previous base profile."""
    with connected(socket) as client:
        client.subscribe(["applied", "restored", "progress"])
        _end(client, client.rollback(_meant(client, revision)), wait)


def _meant(client: PluginClient, revision: int | None) -> int:
    """The revision that was given, or the one in force; with neither, the plugin says what is missing."""
    return revision or client.status()["wanted"] or 1


def verify(
    socket: SocketOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Read back what all devices hold. The exit code is 1 if a device held other values, is not responding, or has refused or
    clamped a value, or if no device has the attributes that the profile writes.

    Values that differ are set again. Devices that do not support congestion control are shown but do not count as long as there
    are others, and those that are away are named.
    """
    with connected(socket) as client:
        client.subscribe(["applied", "restored", "progress"])
        drifts = client.status()["devices"]["drifts"]
        job = waited(client, client.verify(), "Reading back")
        require_done(client, job)
        status = client.status()
        drifted = status["devices"]["drifts"] - drifts
        every = client.devices()
        nowhere = held_by_none(client, status)
    rows, away = [row for row in every if row["present"] or row.get("not_ready")], names_away(every)
    wrong = [row for row in rows if not known_state(row["state"]).check]
    good = job["state"] == "done" and drifted == 0 and not wrong and nowhere is None
    match output:
        case Output.JSON:
            verified = {"verified": good, "drifted": drifted, "job": job, "wrong": wrong, "away": away, "nowhere": nowhere}
            common.write_json(verified, output_file)
        case Output.CSV:
            header = ["guid", "port", "description", "state"]
            common.write_csv(header, [[row[key] for key in header] for row in rows], output_file)
        case Output.TABLE:
            if wrong:
                common.write_rich(device_table(wrong), output_file)
            held = sum(row["state"] == "applied" for row in rows)
            told = f"{held:,} of {len(rows):,} devices hold what they should"
            told += remarks_on(Counter(row["state"] for row in wrong if row["present"]))
            if count := sum(not row["present"] for row in wrong):
                told += f"; {count:,} {NOT_READY}"
            if drifted:
                told += f"; {found_drifts(drifted)}, and set again"
            if job["state"] != "done":
                told += f"; not all devices were read: {job['message']}"
            if nowhere is not None:
                told += f"; {nowhere}; `{NEXT_STEP}` says which they have"
            told += told_away(away)
            common.write_text(told + "\n", None if wrong else output_file)
    if not good:
        raise typer.Exit(1)


def clear_foreign(
    guid: Annotated[str | None, typer.Option(metavar="GUID", help="Only devices of the node with this GUID, `0x…`.")] = None,
    socket: SocketOption = None,
) -> None:
    """Clear NVIDIA's congestion control on devices that somebody else has switched on: those in state `foreign`.

    They get what the profile in force says of annex A10's attributes then. The exit code is 5 if some could not be cleared.

    Example: `ibcc fabric devices --state foreign; ibcc profile clear-foreign`
    """
    with connected(socket) as client:
        client.subscribe(["applied", "restored", "progress"])
        count, number = client.clear_foreign(guid)
        told = f"{count:,} {'device is' if count == 1 else 'devices are'} to be cleared"
        if number is None:
            raise NeedsPersonError(f"IBCC0831: {told} as soon as something can be sent; `ibcc fabric status` shows more")
        job = waited(client, number, "Clearing")
        require_done(client, job)
        left = [row["description"] for row in client.devices(state="foreign", guid=guid)]
        withheld = [row["description"] for row in client.devices(state="withheld", guid=guid)]
    common.write_text(f"{told}: {job['message']}\n", None)
    if left or withheld:
        raise NeedsPersonError(
            f"IBCC0832: not all devices are cleared: {first_names(left + withheld)}; `ibcc fabric devices` shows why"
        )


def _document(profile: str, settings: list[str] | None) -> str:
    """The profile's text as it was written, or as the settings change it. Raises BadInputError if it is none."""
    changes = common.parse_settings(settings or [])
    common.require_known_prefixes(changes, "profile")
    chosen = load_profile(profile, common.settings_under(changes, "profile"))
    for warning in profile_warnings(chosen):
        common.note(f"{profile}: {warning}")
    return chosen.to_yaml() if changes else catalogue.find("profile", profile).read_text()


def _end(
    client: PluginClient,
    accepted: Accepted,
    wait: bool,
    output: Output = Output.TABLE,
    output_file: Any = None,
) -> None:
    """Waits for the job, if that is wanted, and prints the result."""
    job: dict[str, Any] | None = None if accepted.job is None else {"id": accepted.job, "state": "running"}
    if accepted.job is not None and wait:
        job = waited(client, accepted.job, f"Revision {accepted.revision}")
        require_done(client, job)
    status = client.status()
    states = status["devices"]["states"]
    away = names_away(client.devices()) if status["devices"]["away"] else []
    match output:
        case Output.JSON:
            common.write_json({"revision": accepted.revision, "job": job, "devices": states, "away": away}, output_file)
        case Output.CSV:
            common.write_csv(["revision", *states], [[accepted.revision, *states.values()]], output_file)
        case Output.TABLE:
            common.write_text(_told(accepted, job, status) + told_away(away) + "\n", output_file)
    if job is None and status["role"] not in ("starting", "sweep-failed"):
        raise NeedsPersonError(f"IBCC0831: nothing was sent: {status['pending']}; `ibcc fabric status` shows more")
    if job is not None and job["state"] == "ended":
        raise NeedsPersonError(f"IBCC0833: revision {accepted.revision} has not reached all devices: {job['message']}")
    if job is not None and job["state"] == "done" and counted_wrong(states, apply=True):
        raise NeedsPersonError(_not_held(client, states))
    if job is not None and job["state"] == "done" and (nowhere := held_by_none(client, status)) is not None:
        raise NeedsPersonError(f"IBCC0837: {nowhere}; `{NEXT_STEP}` says which they have")


def _not_held(client: PluginClient, states: dict[str, int]) -> str:
    """Returns a sentence that names devices that do not hold the profile."""
    shown = first_names([row["description"] for row in not_holding(client.devices())])
    counts = ", ".join(f"{count:,} {state}" for state, count in counted_wrong(states, apply=True).items())
    return f"IBCC0836: not all devices hold the profile ({counts}): {shown}; `ibcc fabric devices` shows more"


def _told(accepted: Accepted, job: dict[str, Any] | None, status: dict[str, Any]) -> str:
    states = ", ".join(f"{count:,} {state}" for state, count in status["devices"]["states"].items() if count)
    if job is None:
        why = f" ({status['pending']})" if status["pending"] else ""
        return escape(f"revision {accepted.revision} is in force, and reaches the devices after the next sweep{why}")
    if job["state"] == "running":
        return f"revision {accepted.revision} is in force; job {job['id']} brings it to the devices"
    if job["state"] == "ended":
        return f"revision {accepted.revision}: {job['message']}"
    return f"revision {accepted.revision} is in force: {escape(job['message'])} ({states})"


def _goes_on(ttl: int | None) -> str:
    """Returns the message of an interruption: the profile that was applied, or was about to be, is not undone by it."""
    if ttl is None:
        return "interrupted; the profile stays in force, and `ibcc profile rollback` undoes it"
    ends = f"ends by itself {ttl} s after it began" if ttl else "continues"
    return f"interrupted; the trial run {ends}; `ibcc profile rollback` ends it now"
