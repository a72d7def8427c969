# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc hosts place`: which hosts of an inventory can play a workload's roles."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.markup import escape

from tuner.cli import common
from tuner.cli.common import Output
from tuner.cli.hosts_options import InventoryArgument, NodesOption
from tuner.documents.fabric import load_fabric
from tuner.documents.inventory import load_inventory
from tuner.documents.workload import load_workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.placement.place import Placement, too_slow
from tuner.placement.place import place as find_places
from tuner.placement.role_flows import single_flows


def place(
    workload: Annotated[str, typer.Argument(help="Workload document, by path or name.")],
    inventory: InventoryArgument,
    nodes: NodesOption = None,
    sharing: Annotated[
        int | None,
        typer.Option(help="Number of contributors that share a link with the victim; by default about half of them.", min=1),
    ] = None,
    write: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the placed workload to this file, for `ibcc run`.")
    ] = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Find hosts for the roles of a workload, so that a victim's path shares links with contributors.

    The fabric's forwarding tables decide; the shared links are shown.

    Example: `ibcc hosts place scenario-1 site.yaml --write placed.yaml`
    """
    if output is Output.CSV:
        raise BadInputError("--output csv is not for placements; choose table or json")
    read = load_inventory(inventory)
    hosts = read.by_node.values() if nodes is None else read.select(nodes)
    built = build(load_fabric(read.fabric))
    roles = single_flows(load_workload(workload))
    found = find_places(roles, built, [host.host for host in hosts], fabric=read.fabric, alike=sharing)
    if (slow := too_slow(found.workload, built)) is not None:
        common.note(slow)
    if write is not None:
        # JSON is YAML too, and every reader of documents takes it.
        common.write_json(found.workload.model_dump(mode="json", exclude_none=True), write)
    if output is Output.JSON:
        shared = [vars(one) for one in found.shared]
        common.write_json({"hosts": dict(found.hosts), "shared": shared}, output_file)
    else:
        common.write_rich(_tables(found, {host.host: host.node for host in hosts}), output_file)


def _tables(found: Placement, node_of: dict[str, str]) -> Iterator[RenderableType]:
    table = common.table("flow", "role", "from", "node", "to", "node")
    for flow in found.workload.flows:
        cells = (flow.name, flow.role, flow.src, node_of[flow.src], flow.dst, node_of[flow.dst])
        table.add_row(*(escape(cell) for cell in cells))
    yield table
    for one in found.shared:
        yield escape(f"{one.flow} shares {', '.join(one.links)} with {', '.join(one.contributors)}.")
