# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc hosts triggers`: which busy hosts show by counters that their inside is worth testing."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.markup import escape

from tuner.cli import common
from tuner.cli.common import Output
from tuner.cli.hosts_options import InventoryArgument, NodesOption
from tuner.cli.stop_signals import stop_requested
from tuner.documents.inventory import load_inventory
from tuner.host_triggers.own_counters import OwnCounters, own_counters
from tuner.host_triggers.triggers import HostTrigger
from tuner.host_triggers.watched_ports import Topology, watched_ports
from tuner.hosts.launchers.base import open_launcher
from tuner.opensm.preload import client_environment

COLUMNS = [
    "node",
    "host",
    "switch_port",
    "wait_share",
    "received_gbps",
    "line_gbps",
    "discards",
    "drops",
    "pause_share",
    "reasons",
]


def triggers(
    inventory: InventoryArgument,
    nodes: NodesOption = None,
    seconds: Annotated[int, typer.Option(help="Length of the watch of the switches' ports, in seconds.", min=1, max=300)] = 5,
    topology: Annotated[Topology, typer.Option(help="Take the links from the OpenSM plugin, or from ibnetdiscover.")] = "plugin",
    socket: Annotated[
        Path | None, typer.Option(metavar="PATH", help="Ask the plugin at this socket; by default, at the inventory's.")
    ] = None,
    emulated: Annotated[
        str | None, typer.Option(metavar="NAME", help="Read the emulated fabric of this name, of `ibcc emulate`.")
    ] = None,
    agents: Annotated[bool, typer.Option("--agents/--no-agents", help="Ask the hosts' agents for drops and pauses too.")] = True,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Find busy hosts whose counters show that something inside them may be slow.

    The port of a switch to a host waits at least 3 % of a second with data for it, while the host receives less than its link can
    carry; or the host drops packets or pauses its senders. The exit code is 1 if there is such a host, and 3 if nothing is known
    of one.

    Example: `ibcc hosts triggers site.yaml --seconds 10`
    """
    read = load_inventory(inventory)
    chosen = tuple(read.by_node.values()) if nodes is None else read.select(nodes)
    environment = dict(os.environ) if emulated is None else client_environment(emulated)
    with stop_requested() as should_stop, common.progress_bar("watching ports") as on_progress:
        own: Mapping[str, OwnCounters] = {}
        if agents:
            launcher = open_launcher(read.launcher, read.agent.command)
            own = own_counters(launcher, chosen, 1.0, should_stop=should_stop)
        seen = watched_ports(
            read, chosen, topology=topology, socket=socket, environment=environment, seconds=seconds, on_progress=on_progress
        )
    rows = [HostTrigger(host=host, port=seen.get(host.host), own=own.get(host.node)) for host in chosen]
    match output:
        case Output.JSON:
            common.write_json({"inventory": read.name, "hosts": [_values(row) for row in rows]}, output_file)
        case Output.CSV:
            common.write_csv(COLUMNS, [[_flat(value) for value in _values(row).values()] for row in rows], output_file)
        case Output.TABLE:
            common.write_rich(_tables(rows, inventory), output_file)
    if any(row.reasons for row in rows):
        raise typer.Exit(1)
    if not all(row.is_known for row in rows):
        raise typer.Exit(3)


def _values(row: HostTrigger) -> dict[str, Any]:
    worst, port, own = row.worst, row.port, row.own
    return {
        "node": row.host.node,
        "host": row.host.host,
        "switch_port": None if port is None else port.switch.name,
        "wait_share": None if worst is None or worst.wait_share is None else round(worst.wait_share, 5),
        "received_gbps": None if worst is None or worst.received_gbps is None else round(worst.received_gbps, 3),
        "line_gbps": None if port is None or port.line_gbps is None else round(port.line_gbps, 3),
        "discards": None if port is None else port.discards,
        "drops": {} if own is None else dict(own.drops),
        "pause_share": None if own is None or own.error is not None else round(own.pause_share, 5),
        "reasons": row.reasons,
    }


def _flat(value: Any) -> Any:
    if isinstance(value, dict):
        return " ".join(f"{name}={count}" for name, count in value.items())
    return "; ".join(value) if isinstance(value, list) else value


def _tables(rows: Sequence[HostTrigger], inventory: str) -> Iterator[RenderableType]:
    right = ["waits", "Gb/s", "of"]
    table = common.table("node", "switch's port", *right, "trigger", right=right)
    for row in rows:
        found = _values(row)
        share, gbps, line = found["wait_share"], found["received_gbps"], found["line_gbps"]
        table.add_row(
            escape(row.host.node),
            escape(found["switch_port"] or ""),
            "" if share is None else f"{min(share, 1.0) * 100:.1f} %",
            "" if gbps is None else f"{gbps:.1f}",
            "" if line is None else f"{line:.1f}",
            "yes" if row.reasons else "no" if row.is_known else "not known",
        )
    yield table
    for row in rows:
        if row.reasons or not row.is_known:
            yield escape(row.sentence)
    if asking := [row.host.node for row in rows if row.reasons]:
        yield escape(f"Test them: ibcc hosts ping {inventory} --nodes '{','.join(asking)}' --triggered")
