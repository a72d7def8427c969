# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc fabric`: import what other programs print, export what they read, generate topologies, and show fabric documents."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.markup import escape

import ccsim
from tuner.cli import common, fabric_generate, fabric_handover, fabric_live, fabric_plot
from tuner.cli.common import Output
from tuner.cli.fabric_diagnose import diagnose_command
from tuner.cli.fabric_downgrade import downgrade_check
from tuner.cli.fabric_export import export
from tuner.cli.fabric_held import held
from tuner.cli.fabric_import import import_
from tuner.cli.fabric_probe import known, probe
from tuner.cli.fabric_routing import routing
from tuner.cli.fabric_tables import level_table, rate_table
from tuner.cli.fabric_topology import topology
from tuner.documents.congestion_control import in_words
from tuner.documents.fabric import load_fabric
from tuner.fabric.built_fabric import build
from tuner.fabric.summary import FabricSummary
from tuner.report.plots.fabric_by import By

# Maximum number of switches and hosts of a fabric that is shown host by host.
_FEW_NODES = 40

app = typer.Typer(no_args_is_help=True, help="Import, export, generate and show fabrics; watch the one that OpenSM runs.")
app.add_typer(fabric_generate.app, name="generate")
app.add_typer(fabric_handover.app, name="handover")


app.command("import")(import_)
app.command("export")(export)
app.command()(routing)
app.command()(held)
app.command()(probe)
app.command("known-devices")(known)
app.command()(fabric_live.status)
app.command()(fabric_live.devices)
app.command()(fabric_live.dialects)
app.command()(fabric_live.congestion)
app.command()(topology)
app.command("log")(fabric_live.log)
app.command("diagnose")(diagnose_command)
app.command("downgrade-check")(downgrade_check)


@app.command()
def show(
    fabric: Annotated[str, typer.Argument(help="Fabric document, by path or name.")],
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw levels and links to this .svg or .png file.")] = None,
    result: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With --plot: color by this measurement, the JSON of `ibcc simulate` on the fabric."),
    ] = None,
    by: Annotated[
        By | None,
        typer.Option(
            help="With --result: color by this figure; by default xmit-wait, the time in which a port waited for credits."
        ),
    ] = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Show a fabric: its switches by level, its hosts and links, and what looks wrong.

    JSON holds every switch, host and link; CSV is the list of links.

    Examples:

    - `ibcc fabric show two-switch --plot two-switch.svg` draws it,

    - `ibcc simulate scenario-1 --output json -o run.json; ibcc fabric show two-switch --plot run.svg --result run.json`
      shows where packets waited.
    """
    fabric_plot.check(plot, result, by)
    summary = FabricSummary(build(load_fabric(fabric)))
    if plot is not None:
        fabric_plot.write(summary, plot, result, by)
    document = summary.to_json()
    match output:
        case Output.JSON:
            common.write_json(document, output_file)
        case Output.CSV:
            header = ["a", "a_guid", "a_port", "b", "b_guid", "b_port", "rate", "data_gbps", "propagation_ns"]
            rows = [
                [*link["a"].values(), *link["b"].values(), link["rate"], link["data_gbps"], link["propagation_ns"]]
                for link in document["links"]
            ]
            common.write_csv(header, rows, output_file)
        case Output.TABLE:
            common.write_rich(_report(summary, document), output_file)


def _report(summary: FabricSummary, document: dict[str, Any]) -> Iterator[RenderableType]:
    counts = ", ".join(f"{len(document[kind])} {kind.replace('_', ' ')}" for kind in ("switches", *summary.counts, "links"))
    yield f"[bold]{escape(document['name'])}[/bold]: {counts}; MTU {document['mtu_bytes']} bytes, routing {document['routing']}"
    yield f"{escape(summary.shape.text)}; OpenSM: -R {','.join(summary.shape.opensm)}; `ibcc fabric routing` compares routings"
    for sentence in summary.shape.missing:
        yield f"[yellow]Missing or odd:[/yellow] {escape(sentence)}"
    if (dialects := in_words(dict(summary.dialects.most_common()))) is not None:
        yield dialects[0].upper() + dialects[1:]
    yield level_table(summary.levels)
    yield rate_table((rate, count, ccsim.link_data_gbps(rate)) for rate, count in summary.rates.most_common())
    if len(document["switches"]) + len(document["hosts"]) <= _FEW_NODES:
        yield _nodes(document)
    for sentence in summary.warnings:
        yield f"[yellow]Warning:[/yellow] {escape(sentence)}"


def _nodes(document: dict[str, Any]) -> RenderableType:
    """Returns a table of the hosts and of the ports that they are linked to, for fabrics that fit on a page."""
    nodes = common.table("Host", "Link", "Rate", "Injects Gb/s", "Receives Gb/s", right=["Injects Gb/s", "Receives Gb/s"])
    for host in document["hosts"]:
        limits = ["" if host[key] is None else f"{host[key]:g}" for key in ("inject_gbps", "receive_gbps")]
        for port in host["ports"]:
            peer = port["peer"]
            nodes.add_row(escape(host["name"]), escape(f"{peer['node']}/{peer['port']}"), port["rate"], *limits)
    return nodes
