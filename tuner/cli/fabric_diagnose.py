# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc fabric diagnose`: which host, link, table or hotspot makes flows slow."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import RenderableType
from rich.markup import escape

from tuner.cli import common
from tuner.cli.common import Output
from tuner.cli.history_option import HistoryOption
from tuner.errors import BadInputError

if TYPE_CHECKING:
    from tuner.diagnosis.verdict import Diagnosis

COLUMNS = ["kind", "place", "sentence", "evidence", "next_step", "cause"]


def diagnose_command(
    workload: Annotated[
        str | None, typer.Argument(help="Workload document, by path or name, to run on a simulated fabric.")
    ] = None,
    fabric: Annotated[
        str | None, typer.Option(help="Fabric that is diagnosed, by path or name; by default the workload's.")
    ] = None,
    usual: Annotated[
        str | None,
        typer.Option(metavar="FABRIC", help="Fabric as it should be: its limits of hosts and rates of links are no fault."),
    ] = None,
    profile: Annotated[str, typer.Option(help="Profile that devices hold, by path or name.")] = "off",
    wanted: Annotated[
        str | None, typer.Option(metavar="PROFILE", help="Profile that devices should hold; by default, the one that they hold.")
    ] = None,
    inside: Annotated[
        Literal["all", "hardware", "none"],
        typer.Option(help="Read all that hosts count of their inside, what real hosts can be asked too, or nothing of it."),
    ] = "all",
    night: Annotated[
        str | None, typer.Option(metavar="CHECK", help="Diagnose the last night of this check, instead of a workload.")
    ] = None,
    night_date: Annotated[
        str | None, typer.Option("--date", metavar="YYYY-MM-DD", help="With --night: the night of this date.")
    ] = None,
    history: HistoryOption = None,
    hosts: Annotated[
        str | None,
        typer.Option(metavar="INVENTORY", help="Diagnose the fabric of these hosts, by the switches' ports to them."),
    ] = None,
    paths: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With --hosts: what is inside the hosts, from `ibcc hosts ping --output json`."),
    ] = None,
    seconds: Annotated[
        int, typer.Option(help="With --hosts: length of the watch of the switches' ports, in seconds.", min=1, max=300)
    ] = 5,
    topology: Annotated[
        Literal["plugin", "discover"],
        typer.Option(help="With --hosts: take the links from the OpenSM plugin, or from ibnetdiscover."),
    ] = "plugin",
    emulated: Annotated[
        str | None, typer.Option(metavar="NAME", help="With --hosts: read the emulated fabric of this name, of `ibcc emulate`.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed; the same seed gives the same result.", min=0, max=2**64 - 1)] = 1,
    time_scale: Annotated[float, typer.Option(help="Multiply the workload's times.")] = 1.0,
    settings: common.SettingsOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Say what makes flows slow: a host that is slow to receive or to send, a hotspot, a degraded link, tables that drifted, a
    host that is misconfigured, or several of them.

    It simulates the workload, and judges by what switches and adapters count on real fabrics too: PortXmitWait, bytes, the speed
    of links, BECNs, and tables. With --night it takes the likeliest cause of a night. With --hosts it reads a real fabric, where
    it knows no flows: it tells slow receivers and their links, and no slow senders or hotspots; the agents of hosts that withhold
    credits are asked for their inside.

    Exit code 1: there is a fault. Exit code 3: it cannot tell.

    Examples:

    - `ibcc fabric diagnose scenario-1 --usual two-switch` says which host too much is sent to,

    - `ibcc fabric diagnose --night nightly` says what the last night of a check has found,

    - `ibcc fabric diagnose --hosts site.yaml --paths ping.json` reads the switches' ports to these hosts, beside their tests.
    """
    given = [text for text in (workload and f"workload '{workload}'", night and "--night", hosts and "--hosts") if text]
    if len(given) != 1:
        said = " and ".join(given) or "none"
        raise BadInputError(f"of a workload, --night and --hosts one is needed; {said} is given")
    if paths is not None and hosts is None:
        raise BadInputError(f"--paths is {paths}; only --hosts takes what is inside hosts")
    from tuner.cli import diagnoses  # slow to import

    if hosts is not None:
        found = diagnoses.of_hosts(hosts, seconds, topology, emulated, paths=paths, ask_agents=inside != "none")
    elif night is not None:
        found = diagnoses.of_night(night, night_date, history)
    else:
        changes = common.parse_settings(settings or [])
        common.require_known_prefixes(changes, "profile", "model", "backend")
        found = diagnoses.of_run(
            workload or "",
            fabric,
            usual=usual,
            profile=profile,
            wanted=wanted,
            inside=inside,
            seed=seed,
            time_scale=time_scale,
            changes=changes,
        )
    match output:
        case Output.JSON:
            common.write_json(found.to_json(), output_file)
        case Output.CSV:
            rows = [[_flat(row[key]) for key in COLUMNS] for row in found.to_json()["faults"]]
            common.write_csv(COLUMNS, rows, output_file)
        case Output.TABLE:
            common.write_rich(_lines(found), output_file)
    if found.verdict == "cannot-tell":
        raise typer.Exit(3)
    if found.faults:
        raise typer.Exit(1)


def _flat(value: Any) -> Any:
    return "; ".join(value) if isinstance(value, list) else value


def _lines(found: "Diagnosis") -> Iterator[RenderableType]:
    yield f"[bold]{escape(found.sentence)}[/bold]"
    for fault in found.faults:
        for sentence in fault.evidence:
            yield escape(f"Evidence at {fault.place}: {sentence}.")
        yield escape(f"Next step for {fault.place}: {fault.next_step}")
    for sentence in found.missing:
        yield escape(f"Not read: {sentence}.")
