# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc fabric handover pull|push|show`: copies the file by which one OpenSM takes over from another, and shows what is in it."""

import datetime
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from tuner.atomic_file import write_bytes_atomically
from tuner.cli import common
from tuner.cli.common import Output
from tuner.errors import BadInputError, UnreachableError
from tuner.opensm.base_file import MAX_BYTES, BaseFile, parse
from tuner.opensm.key_file import read_keys

NOT_NEWER = 1
"""Exit code where a copy is left alone, as the file there is newer."""

SSH = "ssh -o BatchMode=yes -o ConnectTimeout=10"

_SSH_FAILED = 255

app = typer.Typer(
    no_args_is_help=True, help="Copy the file by which one OpenSM takes over from another, where nodes share no storage; show it."
)

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="Base file of the plugin of this machine (--base-file).")]
KeyOption = Annotated[
    Path | None,
    typer.Option("--key-file", metavar="FILE", help="Key file of the plugin: the base file must be signed by one of its keys."),
]
SshOption = Annotated[str, typer.Option("--ssh", metavar="COMMAND", help="Reach the other machine by this command.")]


@app.command()
def pull(
    source: Annotated[str, typer.Argument(help="Base file of the other node: HOST:PATH, a path, or - for standard input.")],
    file: FileArgument,
    key_file: KeyOption = None,
    ssh: SshOption = SSH,
) -> None:
    """Copy the base file of the other node here, if it is newer.

    A copy takes the place of the file as a whole, or not at all. The exit code is 0 if the file is as new as the other one, 1 if
    it is newer and was left alone, 2 if the copy is cut, not signed, or of another fabric, and 3 if the other node or the file
    cannot be reached.

    Example: `ibcc fabric handover pull sm2:/var/lib/ibcc/handover/base /var/lib/ibcc/handover/base --key-file /etc/ibcc/cc_keys`
    """
    _keep(_fetched(source, ssh), source if source != "-" else "standard input", file, key_file)


@app.command()
def push(
    file: FileArgument,
    destination: Annotated[str, typer.Argument(help="Base file of the other node: HOST:PATH, or a path.")],
    key_file: KeyOption = None,
    ssh: SshOption = SSH,
) -> None:
    """Copy the base file to the other node, if it is newer than what is there.

    The other machine needs ibcc, which checks the copy there, and the key file at the same path. Exit codes are those of `pull`.

    Example: `ibcc fabric handover push /var/lib/ibcc/handover/base sm2:/var/lib/ibcc/handover/base`
    """
    content = _fetched(str(file), ssh)
    host, path = _parted(destination)
    if host is None:
        _keep(content, str(file), Path(path), key_file)
        return
    parse(content, str(file), _keys(key_file))
    there = ["ibcc", "fabric", "handover", "pull", "-", path, *(["--key-file", str(key_file)] if key_file else [])]
    code = _run([*shlex.split(ssh), host, shlex.join(there)], content).returncode
    if code == _SSH_FAILED:
        raise UnreachableError(f"IBCC0861: '{host}' cannot be reached by '{ssh}'; its own message is above")
    if code:
        raise typer.Exit(code)


@app.command()
def show(
    file: FileArgument,
    key_file: KeyOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Show what the next master would take over: base, trial run, and how many devices have NVIDIA's attributes set."""
    found = parse(_fetched(str(file), SSH), str(file), _keys(key_file)).document
    base, trial, fabric = found["base"], found["trial"], found["fabric"]
    facts = {
        "number": found["number"],
        "epoch": found["epoch"],
        "written": _moment(found["written_s"]),
        "writer": f"{found['writer']}, plugin {found['plugin']}",
        "fabric": f"{fabric['nodes']} nodes, subnet prefix {fabric['subnet_prefix']}",
        "base": base["name"] if base else "none",
        "trial": trial["name"] if trial else "none",
        "trial_ends": _moment(trial["ends_s"]) if trial and trial["ends_s"] else "",
        "devices": len(found["devices"]),
    }
    match output:
        case Output.JSON:
            common.write_json(found, output_file)
        case Output.CSV:
            common.write_csv(list(facts), [list(facts.values())], output_file)
        case Output.TABLE:
            table = common.table("", "")
            for name, value in facts.items():
                table.add_row(name.replace("_", " ").capitalize(), escape(str(value)))
            common.write_rich([table], output_file)


def _keep(content: bytes, name: str, file: Path, key_file: Path | None) -> None:
    """Puts a copy in the place of `file`, if it is right and newer. Raises BadInputError, UnreachableError, and typer.Exit."""
    keys = _keys(key_file)
    fresh = parse(content, name, keys)
    here = _present(file, keys)
    if here is not None and not here.is_of_fabric(fresh):
        raise BadInputError(
            f"IBCC0862: {name} is of another fabric than {file}: subnet prefix {fresh.document['fabric']['subnet_prefix']}, and "
            "few of the nodes that one names are named by the other; nothing is changed"
        )
    if here is not None and here.number == fresh.number:
        common.note(f"{file} is as new already: number {here.number}")
        return
    if here is not None and here.number > fresh.number:
        common.note(f"{name} is older than {file} (number {fresh.number}, and not {here.number}), which is left alone")
        raise typer.Exit(NOT_NEWER)
    try:
        write_bytes_atomically(file, content, mode=0o600)
    except OSError as error:
        raise UnreachableError(f"IBCC0863: '{file}' cannot be written: {error.strerror}; it is as it was") from error


def _present(file: Path, keys: Sequence[int]) -> BaseFile | None:
    """The file that is there; None: there is none, or none of which anything could be taken over."""
    try:
        return parse(file.read_bytes(), str(file), keys)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnreachableError(f"IBCC0864: '{file}' cannot be read: {error.strerror}") from error
    except BadInputError as error:
        common.note(f"{error}; the copy takes its place")
        return None


def _keys(key_file: Path | None) -> list[int]:
    return [] if key_file is None else read_keys(key_file)


def _fetched(source: str, ssh: str) -> bytes:
    """Raises UnreachableError, and BadInputError for what is too large to be a base file."""
    host, path = _parted(source)
    if source == "-":
        content = sys.stdin.buffer.read(MAX_BYTES + 1)
    elif host is None:
        try:
            with Path(path).open("rb") as file:
                content = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise UnreachableError(f"IBCC0864: '{source}' cannot be read: {error.strerror}") from error
    else:
        finished = _run([*shlex.split(ssh), host, shlex.join(["cat", "--", path])])
        if finished.returncode:
            raise UnreachableError(
                f"IBCC0861: '{source}' cannot be read by '{ssh}' (exit code {finished.returncode}); its own message is above"
            )
        content = finished.stdout
    if len(content) > MAX_BYTES:
        raise BadInputError(f"IBCC0865: '{source}' has more than {MAX_BYTES} bytes, and is no base file")
    return content


def _run(command: Sequence[str], content: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    """Raises UnreachableError if there is no such command."""
    try:
        return subprocess.run(command, input=content, stdout=subprocess.PIPE, check=False)
    except OSError as error:
        raise UnreachableError(
            f"IBCC0861: '{command[0]}' cannot be started: {error.strerror}; --ssh names another command"
        ) from error


def _parted(place: str) -> tuple[str | None, str]:
    """Host and path; a path with a slash before its first colon has no host, as for scp."""
    host, colon, path = place.partition(":")
    if not colon or "/" in host or not host:
        return None, place
    if host.startswith("-") or not path:
        raise BadInputError(
            f"IBCC0866: '{place}' is no place of a file; HOST:PATH would be right, such as sm2:/var/lib/ibcc/handover/base"
        )
    return host, path


def _moment(wall_s: int) -> str:
    return datetime.datetime.fromtimestamp(wall_s).astimezone().isoformat(" ", "seconds")
