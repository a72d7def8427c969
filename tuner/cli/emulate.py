# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc emulate`: a fabric that OpenSM and diagnostic tools take for a real one, with or without a program inside; and `ccsimd`,
the same as a service."""

import re
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from tuner.cli import common
from tuner.cli.import_options import CongestionControlKind
from tuner.cli.main import run
from tuner.cli.stop_signals import await_stop
from tuner.documents import catalogue
from tuner.documents.congestion_control import Dialect, in_words
from tuner.documents.device_model import nested
from tuner.documents.fabric import FabricDocument, NodeNames
from tuner.documents.profile import load_profile
from tuner.emulator.any_fabric import any_fabric
from tuner.emulator.fabric import EmulatedFabric
from tuner.emulator.inside import environment, run_inside
from tuner.emulator.names import DEFAULT_NAME
from tuner.emulator.server import ControlServer
from tuner.errors import BadInputError, UnreachableError
from tuner.fabric.overridden_vls import overridden_by_opensm
from tuner.opensm.guard import Guard, guarded_folder
from tuner.opensm.plugin_client import SOCKET_VARIABLE
from tuner.opensm.plugin_library import PluginSetup, find_plugin
from tuner.opensm.process import OpenSm, OpenSmError, OptionValue

app = typer.Typer()
daemon = typer.Typer(add_completion=False, rich_markup_mode="markdown")

_UP_S = 600.0
"""Time limit for OpenSM to bring a fabric up; the largest take a minute."""

_SOCKET_S = 30.0
"""Time limit for the plugin to open its socket, which it does as it starts."""

_SHOWN = ("LD_PRELOAD", "IBSIM_SOCKNAME", "SIM_HOST", "OSM_TMP_DIR", "OSM_CACHE_DIR", SOCKET_VARIABLE)

FabricArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        help="Fabric document by path or name, or what `ibcc fabric import` reads, such as output of `ibnetdiscover`."
    ),
]
SocketOption: TypeAlias = Annotated[
    str, typer.Option(metavar="NAME", help="Name of the emulated fabric; several run at once under different names.")
]
MtuOption: TypeAlias = Annotated[
    int, typer.Option(help="MTU in bytes, if the file does not hold it: 256, 512, 1024, 2048 or 4096.")
]
SubnetOption: TypeAlias = Annotated[
    int | None, typer.Option(min=1, help="Take this subnet of a fabric that has several, such as planes or rails.")
]
DialectOption: TypeAlias = Annotated[
    CongestionControlKind | None,
    typer.Option(
        "--congestion-control", help="Congestion control of all devices of an imported fabric; by default as they tell."
    ),
]
SeedOption: TypeAlias = Annotated[int, typer.Option(help="Random seed for fault injection.", min=0, max=2**64 - 1)]
TimeoutOption: TypeAlias = Annotated[
    int, typer.Option("--timeout-ms", help="Time-out of lost requests, in ms.", min=1, max=60_000)
]
SettingsOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Set a parameter of the devices: model.switch.input_buffer_bytes=65536."),
]


@app.command()
def emulate(
    fabric: FabricArgument,
    command: Annotated[
        list[str] | None, typer.Argument(metavar="[-- COMMAND …]", help="Run this program inside the fabric, and end with it.")
    ] = None,
    socket: SocketOption = DEFAULT_NAME,
    host: Annotated[
        str | None,
        typer.Option(
            metavar="NODE", help="Attach programs to this node: a description or `guid:0x…`. By default the first host."
        ),
    ] = None,
    opensm: Annotated[bool, typer.Option("--opensm", help="Start OpenSM first, and wait until the subnet is up.")] = False,
    advised: Annotated[
        bool,
        typer.Option(
            "--advised", help="Start OpenSM with the line that `ibcc fabric routing --for-opensm` advises for the fabric."
        ),
    ] = False,
    opensm_args: Annotated[str, typer.Option(metavar="TEXT", help="Pass these options to OpenSM, such as '-R ftree'.")] = "",
    plugin: Annotated[bool, typer.Option("--plugin", help="Start OpenSM with ibcc's plugin.")] = False,
    plugin_args: Annotated[
        str, typer.Option(metavar="TEXT", help="Pass these options to the plugin, such as '--log-interval-s 5'.")
    ] = "",
    profile: Annotated[
        str | None,
        typer.Option(help="Have the plugin apply this profile: by path, and watched for changes, or by name."),
    ] = None,
    mtu: MtuOption = 4096,
    subnet: SubnetOption = None,
    congestion_control: DialectOption = None,
    seed: SeedOption = 1,
    timeout_ms: TimeoutOption = 200,
    settings: SettingsOption = None,
) -> None:
    """Emulate a fabric for unmodified programs: OpenSM, ibnetdiscover, smpquery, perfquery, ibccquery, ….

    With a command, ibcc runs it inside the fabric, passes signals on to it, and ends with its exit code. Without one, ibcc prints
    what attaches a program, and serves until Ctrl-C. `ibcc emulator` controls a running fabric: workloads, counters, links and
    faults.

    Examples:

    - `ibcc emulate two-switch --opensm -- ibnetdiscover`,

    - `ibcc emulate cluster.txt -- opensm -o -R ftree` on the output of ibnetdiscover from a real fabric,

    - `ibcc emulate two-switch --plugin --profile gran-2010 -- ibccquery CACongestionSetting 1`,

    - `ibcc emulate torus.yaml --socket a` in one terminal, `IBSIM_SOCKNAME=a ibcc emulator run scenario-1` in another.
    """
    with guarded_folder("ibcc-emulate-") as own:
        variables = environment(socket, own.folder, None if host is None else host.removeprefix("guid:"))
        setup = _plugin(own.folder, profile, plugin_args) if plugin or plugin_args or profile is not None else None
        if setup is not None:
            variables[SOCKET_VARIABLE] = str(setup.socket)
        with (
            _served(fabric, socket, mtu, subnet, congestion_control, seed, timeout_ms, settings, host) as control,
            _opensm(variables, shlex.split(opensm_args), setup, control.emulated.document if advised else None)
            if opensm or opensm_args or advised or setup
            else _nothing(),
        ):
            if command:
                raise typer.Exit(run_inside(command, variables))
            # Print those variables of the environment that are the emulator's.
            print(
                " ".join(["export", *(f"{name}={shlex.quote(variables[name])}" for name in _SHOWN if name in variables)]),
                flush=True,
            )
            common.note(f"the line above attaches a program; the control socket is {control.path}; Ctrl-C ends the fabric")
            await_stop()


@daemon.command(name="ccsimd")
def serve(
    fabric: FabricArgument,
    socket: SocketOption = DEFAULT_NAME,
    mtu: MtuOption = 4096,
    subnet: SubnetOption = None,
    congestion_control: DialectOption = None,
    seed: SeedOption = 1,
    timeout_ms: TimeoutOption = 200,
    settings: SettingsOption = None,
) -> None:
    """Emulate a fabric until SIGTERM or Ctrl-C.

    When clients can attach, ccsimd prints a line to standard output: `ready`, the socket name for IBSIM_SOCKNAME, and the path of
    the control socket.
    """
    with _served(fabric, socket, mtu, subnet, congestion_control, seed, timeout_ms, settings) as control:
        print(f"ready {socket} {control.path}", flush=True)
        await_stop()


def ccsimd() -> None:
    """The console script."""
    sys.exit(run(sys.argv[1:], daemon, "ccsimd"))


@contextmanager
def _served(
    fabric: str,
    socket: str,
    mtu: int,
    subnet: int | None,
    congestion_control: CongestionControlKind | None,
    seed: int,
    timeout_ms: int,
    settings: Sequence[str] | None,
    host: str | None = None,
) -> Iterator[ControlServer]:
    """`host`: what has to be a node of the fabric."""
    changes = common.parse_settings(settings or [])
    common.require_known_prefixes(changes, "model")
    dialect: Dialect | None = None if congestion_control is None else congestion_control.value
    document, notes = any_fabric(fabric, mtu_bytes=mtu, subnet=subnet, congestion_control=dialect)
    for sentence in (*notes, *overridden_by_opensm(document)):
        common.note(sentence)
    if host is not None:
        try:
            NodeNames(document).node(host)
        except ValueError as error:
            raise BadInputError(f"--host: {error}") from error
    model = nested(changes).get("model", {})
    with (
        EmulatedFabric(document, name=socket, settings=model, seed=seed, timeout_ms=timeout_ms) as emulated,
        ControlServer(emulated) as control,
    ):
        common.note(
            f"{document.name}: {len(document.switches)} switches, {len(document.hosts)} hosts, {len(document.links)} links"
        )
        if (text := in_words(dict(document.dialects().most_common()))) is not None:
            common.note(text)
        yield control


def _plugin(folder: Path, profile: str | None, options: str) -> PluginSetup:
    """A document that is wrong is refused here, and not by a line in OpenSM's log."""
    path = None if profile is None else catalogue.find("profile", profile).absolute()
    if path is not None:
        load_profile(path)
    given = {word.partition("=")[0].replace("_", "-") for word in options.split()}
    for option in ("--socket", "--state-dir"):
        if option in given:
            raise BadInputError(f"--plugin-args has {option}, which ibcc emulate sets itself; leave it out")
    if path is not None and "--profile" in given:
        raise BadInputError(f"--plugin-args has --profile, and so is --profile {profile} given twice; leave one of them out")
    return PluginSetup(find_plugin(), folder, path, options)


@contextmanager
def _opensm(
    variables: dict[str, str], arguments: Sequence[str], plugin: PluginSetup | None, advised: FabricDocument | None
) -> Iterator[None]:
    """Its folder, with its log, stays if it fails: who wants to know what it did looks there. Otherwise both go with this
    process, however that ends. `advised`: the fabric whose advised line it gets."""
    with guarded_folder("ibcc-opensm-") as guard:
        try:
            with _started(guard, variables, arguments, plugin, advised) as process:
                if plugin is None:
                    process.await_subnet_up(timeout_s=_UP_S)
                else:
                    _await_plugin(process, plugin)
                log = guard.folder / "opensm.log"
                common.note(f"OpenSM has brought the subnet up, routing engine {process.engine}; until it ends, its log is {log}")
                yield
        except OpenSmError as error:
            guard.keeps_folder()
            raise UnreachableError(f"{error} (log: {guard.folder / 'opensm.log'})") from error


@contextmanager
def _started(
    guard: Guard, variables: dict[str, str], arguments: Sequence[str], plugin: PluginSetup | None, advised: FabricDocument | None
) -> Iterator[OpenSm]:
    options: dict[str, OptionValue] = {} if plugin is None else dict(plugin.opensm_options())
    if advised is not None:
        options |= _advised_options(advised, guard.folder)
    loading = variables if plugin is None else plugin.environment(variables)
    with OpenSm(guard.folder, loading, options=options, arguments=arguments, guard=guard) as process:
        try:
            yield process
        finally:
            process.stop()
            guard.kills(None)


def _advised_options(document: FabricDocument, folder: Path) -> dict[str, OptionValue]:
    """Writes the files of the advised line to a folder, and returns OpenSM's options with their paths."""
    from tuner.fabric.opensm_line import file_name, suited_line  # slow to import

    line = suited_line(document)
    for option, text in line.files.items():
        (folder / file_name(option)).write_text(text, encoding="utf-8")
    common.note(f"OpenSM starts with {line.text(folder)}")
    return dict(line.written_to(folder))


def _await_plugin(process: OpenSm, plugin: PluginSetup) -> None:
    """Waits until the subnet is up and the plugin has applied the profile, or given up. Raises OpenSmError, and BadInputError
    where OpenSM goes on without the plugin, or nobody can reach it."""
    at = process.await_line(lambda line: line.is_subnet_up or "cannot load plugin" in line.text, timeout_s=_UP_S)
    if not process.lines[at].is_subnet_up:
        raise _not_loaded(next(line.text for line in reversed(process.lines[:at]) if line.is_error))
    _await_socket(process, plugin)
    if plugin.profile is not None:
        ends = r"ibcc: (?:ERR: IBCC\d{4}: )?(?:apply of revision \d+ (?:done|failed)|revision \d+ is not applied:)"
        at = process.await_line(ends, timeout_s=_UP_S)
        common.note(process.lines[at].text.removeprefix("ibcc: "))
    common.note(f"the plugin's control socket is {plugin.socket}")


def _not_loaded(line: str) -> BadInputError:
    """`line`: the error before OpenSM's own, which says why."""
    why = re.sub(r"^ibcc: ERR: (IBCC\d{4}: )?not loaded: ", "", line)
    of_options = why.removeprefix("event_plugin_options: ")
    return BadInputError(f"--plugin-args: {of_options}" if of_options != why else f"OpenSM has not loaded the plugin: {why}")


def _await_socket(process: OpenSm, plugin: PluginSetup) -> None:
    deadline = time.monotonic() + _SOCKET_S
    while not plugin.socket.exists():
        for line in process.lines:
            if (found := re.match(r"ibcc: ERR: IBCC\d{4}: (no control socket: .*); trying again", line.text)) is not None:
                raise BadInputError(f"the plugin has {found[1]}")
        if time.monotonic() > deadline:
            raise OpenSmError(f"the plugin has not opened its control socket {plugin.socket} in {_SOCKET_S:g} s")
        time.sleep(0.01)


@contextmanager
def _nothing() -> Iterator[None]:
    yield
