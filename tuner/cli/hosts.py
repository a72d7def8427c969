# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc hosts`: the hosts of an inventory, and whether they are ready for measurements."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer
from ibcc_agent.join import joined
from rich.markup import escape

from tuner.cli import common
from tuner.cli.common import Output
from tuner.cli.hosts_canary import canary
from tuner.cli.hosts_options import HostCheckOptions, InventoryArgument, NodesOption
from tuner.cli.hosts_output import show
from tuner.cli.hosts_ping import ping
from tuner.cli.hosts_place import place
from tuner.cli.hosts_triggers import triggers
from tuner.cli.option_classes import with_option_classes
from tuner.documents.inventory import Inventory, InventoryHost, load_inventory
from tuner.hosts.host_check import HostReport, check_hosts
from tuner.hosts.host_summary import summary_of

app = typer.Typer(
    no_args_is_help=True,
    help="List, check and place the hosts of an inventory; find adapters that do not throttle, and slow links inside hosts.",
)

app.command()(place)
app.command()(canary)
app.command()(ping)
app.command()(triggers)


@app.command("list")
def list_hosts(
    inventory: InventoryArgument,
    nodes: NodesOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """List the hosts of an inventory, with their names for the launcher, on the fabric and for other hosts.

    Example: `ibcc hosts list two-switch`
    """
    header = ["node", "host", "address", "device", "ib_port", "gid_index", "tcp_ports"]
    rows = [[getattr(host, key) for key in header] for host in _chosen(load_inventory(inventory), nodes)]
    match output:
        case Output.JSON:
            common.write_json([dict(zip(header, row, strict=True)) for row in rows], output_file)
        case Output.CSV:
            common.write_csv(header, [[*row[:-1], f"{row[-1][0]}-{row[-1][1]}"] for row in rows], output_file)
        case Output.TABLE:
            table = common.table("node", "host", "address", "device", "port", right=["port"])
            for row in rows:
                table.add_row(*(escape(str(value)) for value in row[:5]))
            common.write_rich([table], output_file)


@app.command()
@with_option_classes
def check(
    inventory: InventoryArgument,
    shared: HostCheckOptions,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Check programs, meter, devices, limits, ports and clocks of all hosts through their agents.

    The exit code is 1 if something is wrong on a host, and 3 if one cannot be reached.

    Examples:

    - `ibcc hosts check site.yaml`,

    - `ibcc hosts check site.yaml --nodes 'node[01-04]' --output json`.
    """
    read = load_inventory(inventory)
    with common.progress_bar("checking hosts") as progress:
        reports = check_hosts(read, _chosen(read, shared.nodes), patience_s=shared.patience_s, on_progress=progress)
    summaries = [summary_of(report) for report in reports]
    show(read.name, [_document(report) for report in reports], summaries, output, output_file)


@app.command()
def agent(output_file: common.OutputFileOption = None) -> None:
    """Write the host agent, a single file to install on hosts.

    Example: `ibcc hosts agent -o ibcc_agent.py`
    """
    common.write_text(joined(), output_file)
    if output_file is not None:
        Path(output_file).chmod(0o755)


def _chosen(inventory: Inventory, nodes: str | None) -> Sequence[InventoryHost]:
    return tuple(inventory.by_node.values()) if nodes is None else inventory.select(nodes)


def _document(report: HostReport) -> dict[str, Any]:
    return {
        "node": report.host.node,
        "host": report.host.host,
        "reached": report.facts is not None,
        "findings": [vars(finding) for finding in report.findings],
        "clock": None if report.clock is None else vars(report.clock),
        "facts": report.facts,
    }
