# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc hosts ping`: loop-back tests inside hosts, and which link is slow."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from tuner.cli import common, fabric_plot
from tuner.cli.common import Output
from tuner.cli.hosts_options import InventoryArgument, NodesOption
from tuner.cli.hosts_ping_output import Row, panels, show
from tuner.cli.stop_signals import stop_requested
from tuner.documents.inventory import load_inventory
from tuner.errors import BadInputError
from tuner.hostping.baselines import Confidence, HostBaselines, load_baselines, save_baselines
from tuner.hostping.ping import PingSettings, ping_hosts
from tuner.hostping.ping_document import host_document

DEFAULTS = PingSettings()


def ping(
    inventory: InventoryArgument,
    nodes: NodesOption = None,
    at_once: Annotated[
        int, typer.Option(help="Measure at most this many hosts at the same time.", min=1, max=256)
    ] = DEFAULTS.at_once,
    seconds: Annotated[
        float, typer.Option(help="Length of each test, in seconds; an adapter and a memory have two.", min=0.1, max=60)
    ] = DEFAULTS.seconds,
    lead_s: Annotated[
        float, typer.Option(help="Time that the programs of an adapter get to connect, in seconds.", min=0.2, max=60)
    ] = DEFAULTS.lead_s,
    patience_s: Annotated[
        float, typer.Option(help="Time that an agent may take beyond its tests, in seconds.", min=1, max=600)
    ] = DEFAULTS.patience_s,
    triggered: Annotated[
        bool, typer.Option("--triggered", help="Measure busy hosts too, because counters of the inventory's port ask for it.")
    ] = False,
    busy_cores: Annotated[
        float,
        typer.Option(metavar="SHARE", help="Measure no host on which more of a NUMA node's processors are busy.", min=0, max=1),
    ] = DEFAULTS.busy_cores,
    baseline: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Compare with the baselines in this file, of models that it has.")
    ] = None,
    save_baseline: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Add the medians of these hosts to this file, of models with at least 3.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", callback=common.can_draw, help="Draw the matrices to this .svg or .png file."),
    ] = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Test the paths inside hosts by loop-back, and name the slow link of each host.

    Each adapter writes from and to the memory of each NUMA node of its host. Busy hosts are not measured. Hosts are compared with
    the median of those of their model. The exit code is 1 if a host has a slow link, and 3 if none has and one was not measured.

    Examples:

    - `ibcc hosts ping site.yaml --nodes 'node[01-16]' --plot matrices.svg`,

    - `ibcc hosts ping site.yaml --save-baseline baselines.json`.
    """
    if plot is not None:
        fabric_plot.require_suffix(plot)
    read = load_inventory(inventory)
    known = None if baseline is None else load_baselines(baseline)
    kept = load_baselines(save_baseline) if save_baseline is not None and save_baseline.exists() else HostBaselines()
    settings = PingSettings(
        at_once=at_once,
        seconds=seconds,
        lead_s=lead_s,
        patience_s=patience_s,
        is_triggered=triggered,
        busy_cores=busy_cores,
    )
    chosen = tuple(read.by_node.values()) if nodes is None else read.select(nodes)
    with stop_requested() as should_stop, common.progress_bar("testing hosts") as on_progress:
        measured, batch = ping_hosts(read, chosen, settings, baselines=known, on_progress=on_progress, should_stop=should_stop)
    rows = [host_document(row) for row in measured]
    if save_baseline is not None:
        _save(save_baseline, kept, batch)
    if plot is not None:
        _draw(plot, rows)
    show(read.name, rows, output, output_file)


def _save(file: Path, kept: HostBaselines, batch: HostBaselines) -> None:
    """Models with too few hosts are named and left out."""
    enough = [one for one in batch.models if one.confidence is not Confidence.NONE]
    for model in batch.models:
        if model not in enough:
            common.note(f"{model.hosts} idle hosts of model '{model.model}' were measured; a baseline needs 3, so none is saved")
    if enough:
        try:
            save_baselines(file, kept.with_models(enough))
        except OSError as error:
            raise BadInputError(f"cannot write {file}: {error.strerror}") from error


def _draw(plot: Path, rows: Sequence[Row]) -> None:
    from tuner.report.plots import host_matrix, style  # slow to import

    drawn = panels(rows)
    if not drawn:
        common.note(f"no host was measured, so nothing is drawn to {plot}")
    elif plot.suffix.lower() == ".svg":
        common.write_text(style.standalone(host_matrix.svg(drawn)), plot)
    else:
        common.write_bytes(host_matrix.png(drawn), plot)
