# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc` itself: finds its sub-commands, and turns every failure into a sentence and an exit code.

A sub-command is an entry point of the group `ibcc.commands`, a `typer.Typer`: with one command it is that command, with several a
group of them. It is imported when it is used, so that a heavy one does not slow the others down, and not to be listed: what the
list says of it stands in `tuner.cli.short_texts`.
"""

import os
import sys
import traceback
from collections.abc import Sequence
from importlib import metadata
from typing import Annotated, Any

import typer
import typer.core
import typer.main

from tuner.cli.short_texts import SHORT_TEXTS
from tuner.errors import BadInputError, IbccError

GROUP = "ibcc.commands"

SERVER_GROUP = "ibcc.server_commands"
"""The sub-commands there are when `--server` is given: of the same kind, but what they speak of is the service's."""

SERVER_VARIABLE = "IBCC_SERVER"
"""Environment variable: the address that `--server` gives, to those sub-commands."""

INTERRUPTED = 130
BUG = 70  # EX_SOFTWARE of sysexits.h

DEBUG = "IBCC_DEBUG"
"""Environment variable: when it is set, an unforeseen failure shows its traceback."""

HELP = """InfiniBand congestion control: find a profile, see what it does, and prove that it works.

Documents are given by path, or by name where they come with ibcc: `ibcc simulate scenario-1 --profile gran-2010`.

Exit codes: 0 done, 1 negative verdict, 2 bad input, 3 unreachable, 4 apply failed and base restored, 5 state needs a person,
70 a bug of ibcc (IBCC_DEBUG=1 shows its traceback), 130 interrupted.
"""


class Unloaded(typer.core.TyperCommand):
    """A sub-command of which no more than a line is known; the true one is loaded when it is to do something."""

    def __init__(self, entry: metadata.EntryPoint, short_text: str) -> None:
        super().__init__(name=entry.name, help=short_text)
        self._entry = entry

    def make_context(self, *arguments: Any, **more: Any) -> Any:
        """Loads the command itself and makes its context, so that the context runs it."""
        return _load(self._entry).make_context(*arguments, **more)


class Commands(typer.core.TyperGroup):
    """The sub-commands of all installed packages, loaded one by one."""

    def list_commands(self, ctx: Any) -> list[str]:
        return sorted(entry.name for entry in metadata.entry_points(group=_group(ctx)))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        for entry in metadata.entry_points(group=_group(ctx), name=cmd_name):
            text = SHORT_TEXTS.get(entry.value)
            return _load(entry) if text is None else Unloaded(entry, text)
        return None


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},  # sub-commands take them from here
    help=HELP,
)


def _load(entry: metadata.EntryPoint) -> Any:
    """Raises MissingPackageError if the command is of a product that is not installed."""
    try:
        command = typer.main.get_command(entry.load())
    except ModuleNotFoundError as error:
        from tuner.products import SERVICE, missing_package  # only now: the list of commands imports as little as it can

        server = "--server URL " if entry.group == SERVER_GROUP else ""
        extra = SERVICE if entry.module.startswith("api.") else None
        raise missing_package(error, f"'ibcc {server}{entry.name}'", extra) or error from error
    command.name = entry.name
    return command


def _group(ctx: Any) -> str:
    return SERVER_GROUP if ctx.params.get("server") else GROUP


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"ibcc {metadata.version('ibcc')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version)
    ] = False,
    server: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Run the command on this service, with the token in IBCC_TOKEN; --server URL --help lists its commands.",
            is_eager=True,
        ),
    ] = None,
) -> None:
    """Options of `ibcc` itself; HELP is what people read."""
    if server is not None:
        os.environ[SERVER_VARIABLE] = server


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command and exits with its code."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str], command: typer.Typer | None = None, name: str = "ibcc") -> int:
    """Runs the command and returns its exit code, after printing what went wrong to standard error. `command` and `name`: of
    another console script that fails in the same words."""
    try:
        code = typer.main.get_command(app if command is None else command).main(
            list(arguments), prog_name=name, standalone_mode=False
        )
        if code == INTERRUPTED:
            _complain("interrupted")
        return code if isinstance(code, int) else 0
    except IbccError as error:
        _complain(str(error))
        return error.exit_code
    except typer.TyperException as error:  # an unknown option, a missing argument
        if sentence := error.format_message():  # empty where the help was printed instead
            _complain(sentence)
        return BadInputError.exit_code
    except BrokenPipeError:  # whoever read the output has enough of it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except ModuleNotFoundError as error:
        return _without(error, f"'{' '.join([name, *arguments])}'")
    except Exception as error:
        return _bug(error)


def _without(error: ModuleNotFoundError, command: str) -> int:
    """Says which product has the package that a command imports when it needs it, and returns the exit code."""
    from tuner.products import missing_package  # only now: the list of commands imports as little as it can

    missing = missing_package(error, command)
    if missing is None:
        return _bug(error)
    _complain(str(missing))
    return missing.exit_code


def _bug(error: Exception) -> int:
    """Says what was not foreseen anywhere, so that it is never taken for a negative verdict, and returns the exit code."""
    how = f"run it again with {DEBUG}=1 for the traceback, and report that"
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
        how = "report the traceback above"
    _complain(f"this is a bug of ibcc ({' '.join(traceback.format_exception_only(error)[-1].split())}); {how}")
    return BUG


def _complain(sentence: str) -> None:
    from tuner.documents.printable import printable_lines  # only now: the list of commands imports as little as it can

    print(f"ibcc: {printable_lines(sentence)}", file=sys.stderr)


if __name__ == "__main__":
    main()
