# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc fabric import`: a fabric document from what other programs print."""

from pathlib import Path
from typing import Annotated

import typer

from tuner.cli import common
from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.fabric.importers.base import import_fabric


def import_(
    file: Annotated[Path, typer.Argument(help="Output of `ibnetdiscover`, or a net file of ibsim; the format is detected.")],
    output_file: Annotated[
        Path | None,
        typer.Option("-o", "--output-file", help="Write the fabric document to this file instead of standard output."),
    ] = None,
    routes: Annotated[
        Path | None, typer.Option(help="Forwarding tables: opensm-lfts.dump, or output of `dump_fts` or `ibroute`.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the fabric; by default the file's.")] = None,
    mtu: Annotated[int, typer.Option(help="MTU in bytes, which the file does not hold: 256, 512, 1024, 2048 or 4096.")] = 4096,
) -> None:
    """Make a fabric document from a real fabric.

    Example: `ibnetdiscover > cluster.txt; ibcc fabric import cluster.txt -o cluster.yaml`
    """
    imported = import_fabric(file, name=name, mtu_bytes=mtu, routes=routes)
    tables = "" if routes is None else f" with the routes of {routes.name}"
    comment = [
        f"Imported from {file.name} ({imported.format}){tables}: {_counts(imported.fabric)}.",
        f"The source does not hold the MTU: {mtu} bytes is what --mtu said.",
        *imported.notes,
    ]
    common.write_text(fabric_text(imported.fabric, comment), output_file)
    for sentence in imported.notes:
        common.note(sentence)
    if output_file is not None:
        common.note(f"{output_file}: {_counts(imported.fabric)}")


def _counts(fabric: FabricDocument) -> str:
    adapters = {kind: sum(host.kind == kind for host in fabric.hosts) for kind in ("host", "aggregation", "router")}
    return (
        f"{len(fabric.switches)} switches, {adapters['host']} hosts, {adapters['aggregation']} aggregation nodes, "
        f"{adapters['router']} routers, {len(fabric.links)} links"
    )
