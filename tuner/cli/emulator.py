# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc emulator`: controls a running emulated fabric."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer
from rich.console import RenderableType
from rich.markup import escape

from tuner.cli import common, emulator_fault
from tuner.cli.common import Output
from tuner.cli.emulator_connection import NodeArgument, SocketOption, connected
from tuner.cli.one_measurement import report
from tuner.documents import catalogue
from tuner.emulator.fabric import Pace
from tuner.errors import BadInputError
from tuner.measuring.measurement_text import measurement_text

app = typer.Typer(no_args_is_help=True, help="Control a fabric that `ibcc emulate` or `ccsimd` has started.")
app.add_typer(emulator_fault.app, name="fault")


class NodeAction(StrEnum):
    REMOVE = "remove"
    ADD = "add"
    REBOOT = "reboot"


class UpDown(StrEnum):
    UP = "up"
    DOWN = "down"


OptionalNode: TypeAlias = Annotated[str | None, typer.Argument(metavar="[NODE]", help="Show only this node.")]


@app.command()
def status(socket: SocketOption = None) -> None:
    """Show what is emulated, and whether a workload runs."""
    with connected(socket) as client:
        common.write_json(client.status(), None)


@app.command()
def run(
    workload: Annotated[str, typer.Argument(help="Workload document, by path or name.")],
    socket: SocketOption = None,
    pace: Annotated[Pace, typer.Option(help="`fast`: as fast as possible; `real`: in real time.")] = "fast",
    seed: Annotated[int, typer.Option(help="Random seed of the traffic.", min=0, max=2**64 - 1)] = 1,
    time_scale: Annotated[
        float, typer.Option(help="Multiply the workload's times, but neither the sample interval nor the timers of CC.")
    ] = 1.0,
    allow_credit_loops: common.AllowCreditLoopsOption = False,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Run a workload under the tables that the devices hold, and show what every flow gets.

    The output is that of `ibcc simulate`. Ctrl-C stops the workload. Programs that change the tables meanwhile (OpenSM,
    ibccconfig, …) change the traffic.
    """
    given = Path(workload) if catalogue.is_path(workload) else workload
    with connected(socket) as client:
        measurement = client.run_workload(
            given, pace=pace, seed=seed, time_scale=time_scale, allow_credit_loops=allow_credit_loops
        )
    match output:
        case Output.JSON:
            common.write_pieces(measurement_text(measurement), output_file)
        case Output.CSV:
            rows = zip(measurement.t_s.tolist(), *measurement.gbps.tolist(), strict=True)
            common.write_csv(["t_s", *(f"{flow.name}_gbps" for flow in measurement.flows)], rows, output_file)
        case Output.TABLE:
            common.write_rich(report(measurement, title=f"{workload} on {measurement.fabric}"), output_file)


@app.command()
def stop(socket: SocketOption = None) -> None:
    """Stop the running workload."""
    with connected(socket) as client:
        common.note("the workload was stopped" if client.stop_workload() else "no workload runs")


@app.command()
def counters(
    node: OptionalNode = None,
    socket: SocketOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Show the counters of all ports since they were last cleared, as `perfquery` shows those of one port."""
    with connected(socket) as client:
        rows = client.counters(node)
    columns = [key for key in (rows[0] if rows else {}) if key not in ("node", "guid", "port")]
    match output:
        case Output.JSON:
            common.write_json({"ports": rows}, output_file)
        case Output.CSV:
            header = ["node", "guid", "port", *columns]
            common.write_csv(header, [[row[key] for key in header] for row in rows], output_file)
        case Output.TABLE:
            common.write_rich(_counters(rows, columns), output_file)


def _counters(rows: list[dict[str, Any]], columns: list[str]) -> Iterator[RenderableType]:
    table = common.table(
        "Port", *(name.replace("_", " ") for name in columns), right=[name.replace("_", " ") for name in columns]
    )
    for row in rows:
        table.add_row(escape(f"{row['node']}/{row['port']}"), *(f"{row[key]:,}" for key in columns))
    yield table


@app.command()
def mads(
    clear: Annotated[bool, typer.Option("--clear", help="Clear the counts after showing them.")] = False,
    socket: SocketOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Count the MADs that programs and devices have sent, by class, method and attribute, with the times of first and last."""
    with connected(socket) as client:
        result = client.mads(clear=clear)
    header = ["class", "directed", "method", "attribute", "count", "first_s", "last_s"]
    match output:
        case Output.JSON:
            common.write_json(result, output_file)
        case Output.CSV:
            common.write_csv(header, [[row[key] for key in header] for row in result["mads"]], output_file)
        case Output.TABLE:
            common.write_rich(mads_tables(result["mads"], result["unknown_modifiers"]), output_file)


def mads_tables(rows: list[dict[str, Any]], unknown: list[dict[str, Any]]) -> Iterator[RenderableType]:
    """Tables of the MADs that were counted, and of the attribute modifiers that devices refused, if there are any."""
    numbers = ["Number", "First, s", "Last, s"]
    table = common.table("Class", "Method", "Attribute", *numbers, right=numbers)
    for row in rows:
        name = f"{row['class']}, directed" if row["directed"] else row["class"]
        table.add_row(name, row["method"], row["attribute"], f"{row['count']:,}", f"{row['first_s']:.3f}", f"{row['last_s']:.3f}")
    yield table
    if unknown:
        yield _unknown_modifiers(unknown)


def _unknown_modifiers(rows: list[dict[str, Any]]) -> RenderableType:
    table = common.table("Refused by", "Method", "Attribute", "Modifier", "Number", right=["Modifier", "Number"])
    for row in rows:
        table.add_row(escape(row["node"]), row["method"], row["attribute"], row["modifier"], f"{row['count']:,}")
    return table


@app.command()
def tables(node: OptionalNode = None, socket: SocketOption = None, output_file: common.OutputFileOption = None) -> None:
    """Show what the devices hold, as JSON: port states, LIDs, forwarding tables, congestion control."""
    with connected(socket) as client:
        common.write_json({"devices": client.tables(node)}, output_file)


@app.command()
def link(
    node: NodeArgument,
    port: Annotated[int, typer.Argument(help="Port number.", min=1, max=254)],
    state: Annotated[UpDown, typer.Argument(help="Plug the cable in, or pull it.")],
    socket: SocketOption = None,
) -> None:
    """Pull a cable, or plug it in again."""
    with connected(socket) as client:
        client.set_link(node, port, up=state is UpDown.UP)


@app.command()
def node(
    action: NodeAction,
    node: NodeArgument,
    socket: SocketOption = None,
    firmware: Annotated[
        str | None, typer.Option(metavar="VERSION", help="Version of the firmware that the node reports after a reboot.")
    ] = None,
) -> None:
    """Switch a node off or on, or reboot it; a reboot clears its tables."""
    if firmware is not None and action is not NodeAction.REBOOT:
        raise BadInputError(f"--firmware is {firmware}, and the action is {action}; a node has another firmware after `reboot`")
    with connected(socket) as client:
        match action:
            case NodeAction.REMOVE:
                client.remove_node(node)
            case NodeAction.ADD:
                client.add_node(node)
            case NodeAction.REBOOT:
                client.reboot_node(node, firmware=firmware)
