# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc hosts canary`: which adapters throttle."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.markup import escape

from tuner.backends.cluster import ClusterBackend
from tuner.cli import common
from tuner.cli.common import Output
from tuner.cli.hosts_options import InventoryArgument, NodesOption
from tuner.cli.stop_signals import stop_requested
from tuner.hosts.canary import Reaction, measure_reactions
from tuner.hosts.perftest_driver import PerftestDriver
from tuner.measuring.options import BackendOptions


def canary(
    inventory: InventoryArgument,
    nodes: NodesOption = None,
    tell: Annotated[
        bool, typer.Option("--tell/--no-tell", help="Report the result to the OpenSM plugin, which stores it.")
    ] = True,
    settings: common.SettingsOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Find out which adapters throttle when they receive BECNs: before a campaign, or before a profile is promoted.

    Groups of hosts congest one receiver, first with congestion control off, then under a profile that slows an adapter that
    throttles to almost nothing. The fabric's own profile is restored however the command ends. Exit code 1: some do not throttle.

    Example: `ibcc hosts canary site.yaml --nodes 'node[01-16]'`
    """
    changes = common.parse_settings(settings or [])
    common.require_known_prefixes(changes, "backend")
    options = BackendOptions(
        settings={"backend.inventory": inventory, **changes}, owner="ibcc hosts canary", on_warning=common.notes_once()
    )
    driver = PerftestDriver(options)
    read = driver.inventory
    chosen = [host.host for host in (read.by_node.values() if nodes is None else read.select(nodes))]
    backend = ClusterBackend(options, driver)
    try:
        backend.open()
        there = driver.hosts()
        with stop_requested() as should_stop, common.progress_bar("Measuring throttling") as on_progress:
            found = measure_reactions(
                backend,
                [host for host in chosen if host in there],
                fabric=read.fabric,
                settings=read.canary,
                should_stop=should_stop,
                on_progress=on_progress,
            )
        if tell:
            driver.tell_reactions(found, by="ibcc hosts canary")
    finally:
        backend.restore()
        backend.close()
    rows = [vars(one) for one in found]
    match output:
        case Output.JSON:
            common.write_json(rows, output_file)
        case Output.CSV:
            common.write_csv(list(rows[0]), [list(row.values()) for row in rows], output_file)
        case Output.TABLE:
            common.write_rich(_tables(found), output_file)
    if any(one.verdict == "no" for one in found):
        raise typer.Exit(1)


def _tables(found: Sequence[Reaction]) -> Iterator[RenderableType]:
    table = common.table("host", "throttles", "CC off, Gb/s", "canary, Gb/s", right=["CC off, Gb/s", "canary, Gb/s"])
    for one in found:
        table.add_row(escape(one.host), one.verdict, f"{one.off_gbps:.3f}", f"{one.canary_gbps:.3f}")
    yield table
    if found and all(one.verdict == "unknown" for one in found):
        yield "No adapter throttled: either none does, or no switch marked packets; `ibcc fabric congestion` shows marks."
