# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc profile plan|apply|verify|commit|rollback`: profiles on the fabric that OpenSM runs, through its plugin."""

from typing import Annotated, Any

import typer
from rich.markup import escape

from tuner.cli import common
from tuner.cli.common import Output
from tuner.cli.fabric_live import device_table
from tuner.cli.plugin_connection import SocketOption, connected, require_done, waited
from tuner.documents import catalogue
from tuner.documents.profile import load_profile
from tuner.errors import InterruptedRunError, NeedsPersonError
from tuner.opensm.plugin_client import NOT_READY, OTHERWISE, Accepted, PluginClient

ProfileArgument = Annotated[str, typer.Argument(help="Profile, by path or name.")]

RevisionOption = Annotated[
    int | None, typer.Option(min=1, help="Only if this is the revision that counts now, as `ibcc fabric status` shows it.")
]

_WRONG = ("timing-out", "refused", "drifted", "unknown")
"""States of devices that do not hold what they should, and could."""
_MOST_NAMED = 5


def plan(
    profile: ProfileArgument,
    settings: common.SettingsOption = None,
    socket: SocketOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Count what applying a profile would change on the fabric, and send nothing.

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
            keys = [key for key in found if key != "warnings"]
            common.write_csv(keys, [[found[key] for key in keys]], output_file)
        case Output.TABLE:
            told = f"{found['switches']:,} switches and {found['cas']:,} ports of adapters would get {found['sets']:,} Sets"
            if found["unknown"]:
                told += f"; of {found['unknown']:,} devices it is not known what they hold"
            common.write_text(told + "\n", output_file)


def apply(
    profile: ProfileArgument,
    ttl: Annotated[
        int | None,
        typer.Option(
            metavar="SECONDS", min=0, help="An experiment that ends by itself; 0: by commit or rollback. Default: for good."
        ),
    ] = None,
    if_revision: Annotated[int | None, typer.Option(min=1, help="Only if this revision is the one that counts now.")] = None,
    wait: common.WaitOption = True,
    settings: common.SettingsOption = None,
    socket: SocketOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Apply a profile to the fabric, for a time or for good.

    With `--ttl` the base profile comes back by itself, also if OpenSM or this command ends before. The exit code is 0 if every
    device that supports congestion control has come to hold the profile, 4 if too many failed and the base is in force again,
    and 5 if some did not answer or have refused a value: the profile counts all the same, and they are tried again.

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
    """Make the experiment that runs the base profile."""
    with connected(socket) as client:
        client.subscribe(["applied", "restored", "progress"])
        _end(client, client.commit(_meant(client, revision)), wait)


def rollback(revision: RevisionOption = None, socket: SocketOption = None, wait: common.WaitOption = True) -> None:
    """End the experiment that runs; without one, go back to the base profile before this one."""
    with connected(socket) as client:
        client.subscribe(["applied", "restored", "progress"])
        _end(client, client.rollback(_meant(client, revision)), wait)


def _meant(client: PluginClient, revision: int | None) -> int:
    """The revision that somebody names, or the one that counts now; with neither, the plugin says what is missing."""
    return revision or client.status()["wanted"] or 1


def verify(
    socket: SocketOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Read back what all devices hold. The exit code is 1 if one held something else, does not answer, has refused a value, or
    has taken other values than it was sent.

    What differs is set again. Devices that do not support congestion control are shown but do not count.
    """
    with connected(socket) as client:
        client.subscribe(["applied", "restored", "progress"])
        drifts = client.status()["devices"]["drifts"]
        job = waited(client, client.verify(), "Reading back")
        require_done(client, job)
        drifted = client.status()["devices"]["drifts"] - drifts
        rows = [row for row in client.devices() if row["present"] or row.get("not_ready")]
    wrong = [row for row in rows if row["state"] in OTHERWISE]
    good = job["state"] == "done" and drifted == 0 and not wrong
    match output:
        case Output.JSON:
            common.write_json({"verified": good, "drifted": drifted, "job": job, "wrong": wrong}, output_file)
        case Output.CSV:
            header = ["guid", "port", "description", "state"]
            common.write_csv(header, [[row[key] for key in header] for row in rows], output_file)
        case Output.TABLE:
            if wrong:
                common.write_rich(device_table(wrong), output_file)
            held = sum(row["state"] == "applied" for row in rows)
            told = f"{held:,} of {len(rows):,} devices hold what they should"
            for state, words in OTHERWISE.items():
                if count := sum(row["state"] == state and row["present"] for row in wrong):
                    told += f"; {count:,} {words}"
            if count := sum(not row["present"] for row in wrong):
                told += f"; {count:,} {NOT_READY}"
            if drifted:
                told += f"; {drifted:,} differences were found, and set again"
            if job["state"] != "done":
                told += f"; not all were read: {job['message']}"
            common.write_text(told + "\n", None if wrong else output_file)
    if not good:
        raise typer.Exit(1)


def _document(profile: str, settings: list[str] | None) -> str:
    """The profile's text as it was written, or as the settings change it. Raises BadInputError if it is none."""
    changes = common.parse_settings(settings or [])
    common.require_known_prefixes(changes, "profile")
    chosen = load_profile(profile, common.settings_under(changes, "profile"))
    return chosen.to_yaml() if changes else catalogue.find("profile", profile).read_text()


def _end(
    client: PluginClient,
    accepted: Accepted,
    wait: bool,
    output: Output = Output.TABLE,
    output_file: Any = None,
) -> None:
    """Waits for the job, if that is wanted, and tells what there is to tell."""
    job: dict[str, Any] | None = None if accepted.job is None else {"id": accepted.job, "state": "running"}
    if accepted.job is not None and wait:
        job = waited(client, accepted.job, f"Revision {accepted.revision}")
        require_done(client, job)
    status = client.status()
    states = status["devices"]["states"]
    match output:
        case Output.JSON:
            common.write_json({"revision": accepted.revision, "job": job, "devices": states}, output_file)
        case Output.CSV:
            common.write_csv(["revision", *states], [[accepted.revision, *states.values()]], output_file)
        case Output.TABLE:
            common.write_text(_told(accepted, job, status) + "\n", output_file)
    if job is None and status["role"] not in ("starting", "sweep-failed"):
        raise NeedsPersonError(f"nothing was sent: {status['pending']}; `ibcc fabric status` says more")
    if job is not None and job["state"] == "ended":
        raise NeedsPersonError(f"revision {accepted.revision} has not reached all devices: {job['message']}")
    if job is not None and job["state"] == "done" and any(states[state] for state in _WRONG):
        raise NeedsPersonError(_not_held(client, states))


def _not_held(client: PluginClient, states: dict[str, int]) -> str:
    """Which devices are still to be seen to."""
    names = [row["description"] for state in _WRONG if states[state] for row in client.devices(state=state) if row["present"]]
    shown = ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")
    counts = ", ".join(f"{states[state]:,} {state}" for state in _WRONG if states[state])
    return f"not all devices hold the profile ({counts}): {shown}; `ibcc fabric devices` says more"


def _told(accepted: Accepted, job: dict[str, Any] | None, status: dict[str, Any]) -> str:
    states = ", ".join(f"{count:,} {state}" for state, count in status["devices"]["states"].items() if count)
    if job is None:
        why = f" ({status['pending']})" if status["pending"] else ""
        return escape(f"revision {accepted.revision} counts, and reaches the devices after the next sweep{why}")
    if job["state"] == "running":
        return f"revision {accepted.revision} counts; job {job['id']} brings it to the devices"
    if job["state"] == "ended":
        return f"revision {accepted.revision}: {job['message']}"
    return f"revision {accepted.revision} counts: {escape(job['message'])} ({states})"


def _goes_on(ttl: int | None) -> str:
    """What becomes of what was applied, or was about to be, when nobody waits for it any more."""
    if ttl is None:
        return "interrupted; what was applied counts all the same, and `ibcc profile rollback` undoes it"
    ends = f"ends by itself {ttl} s after it began" if ttl else "goes on"
    return f"interrupted; the experiment {ends}; `ibcc profile rollback` ends it now"
