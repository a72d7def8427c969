# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc fabric import`: a fabric document from what other programs print."""

from pathlib import Path
from typing import Annotated

import typer

from tuner.cli import common
from tuner.cli.import_options import CongestionControlOption, NamesOption, RoutesOption, StrictOption, SubnetOption
from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.subnets import described, subnets


def import_(
    file: Annotated[
        Path,
        typer.Argument(
            help="Output of `ibnetdiscover` or `iblinkinfo`, OpenSM's opensm-subnet.lst, ibdiagnet's ibdiagnet2.db_csv, a net "
            "file of ibsim, or a fabric document; the format is detected."
        ),
    ],
    output_file: Annotated[
        Path | None,
        typer.Option("-o", "--output-file", help="Write the fabric document to this file instead of standard output."),
    ] = None,
    routes: RoutesOption = None,
    names: NamesOption = None,
    subnet: SubnetOption = None,
    strict: StrictOption = False,
    name: Annotated[str | None, typer.Option(help="Name of the fabric; by default the file's.")] = None,
    routing: Annotated[
        str | None,
        typer.Option(
            metavar="ENGINE",
            help="Route the fabric by this: a routing of ibcc, or an engine of OpenSM that has one. By default ibcc takes the "
            "one that suits the fabric's shape, and says why; `ibcc fabric routing` compares them.",
        ),
    ] = None,
    congestion_control: CongestionControlOption = None,
    mtu: Annotated[int, typer.Option(help="MTU in bytes, which the file does not hold: 256, 512, 1024, 2048 or 4096.")] = 4096,
) -> None:
    """Make a fabric document from a real fabric.

    Example: `ibnetdiscover > cluster.txt; ibcc fabric import cluster.txt -o cluster.yaml`
    """
    if routing is not None:
        from tuner.fabric.rerouting import routing_named  # slow to import

        routing_named(routing)
        if routes is not None:
            raise BadInputError(f"--routing {routing} and --routes {routes} are two routings; give one of them")
    imported = import_fabric(file, name=name, mtu_bytes=mtu, routes=routes, names=names, subnet=subnet, strict=strict)
    if congestion_control is not None:
        imported = imported.with_congestion_control(congestion_control.value)
    fabric, reasons = _routed(imported.fabric, routing)
    tables = "" if routes is None else f" with the routes of {routes.name}"
    comment = [
        f"Imported from {file.name} ({imported.format}){tables}: {_counts(fabric)}.",
        f"The source does not hold the MTU: {mtu} bytes is what --mtu said.",
        *imported.sentences,
        *reasons,
    ]
    common.write_text(fabric_text(fabric, comment), output_file)
    for sentence in (*imported.sentences, *reasons):
        common.note(sentence)
    if fabric.incomplete is not None:
        common.note(f"the fabric may be incomplete: {fabric.incomplete}")
    if len(found := subnets(fabric)) > 1:
        common.note(f"{described(found)}; --subnet takes one of them")
    if output_file is not None:
        common.note(f"{output_file}: {_counts(fabric)}")


def _routed(fabric: FabricDocument, routing: str | None) -> tuple[FabricDocument, list[str]]:
    """The fabric by the routing that was asked for, or by the one that suits it, and sentences that say so."""
    from tuner.fabric.capacity import low_capacity  # slow to import
    from tuner.fabric.rerouting import rerouted, rerouted_as_advised

    if routing is not None:
        rerouted_fabric = rerouted(fabric, routing)
        low = low_capacity(build(rerouted_fabric))  # the building shows whether it can be routed so
        return rerouted_fabric, [f"routing {rerouted_fabric.routing}: as --routing {routing} said", *filter(None, [low])]
    advised, advice = rerouted_as_advised(fabric)
    return advised, list(advice.sentences())


def _counts(fabric: FabricDocument) -> str:
    adapters = {kind: sum(host.kind == kind for host in fabric.hosts) for kind in ("host", "aggregation", "router")}
    return (
        f"{len(fabric.switches)} switches, {adapters['host']} hosts, {adapters['aggregation']} aggregation nodes, "
        f"{adapters['router']} routers, {len(fabric.links)} links"
    )
