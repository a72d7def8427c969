# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc fabric topology`: nodes and links as OpenSM's last sweep found them, or the differences since an epoch."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.markup import escape

from tuner.cli import common
from tuner.cli.common import Output
from tuner.cli.plugin_connection import SocketOption, connected
from tuner.opensm.live_topology import LiveTopology, TopologyChanges

_LINK = ["guid", "port", "peer_guid", "peer_port", "state", "rate", "mtu"]


def topology(
    socket: SocketOption = None,
    since: Annotated[int | None, typer.Option(metavar="EPOCH", help="Only what has changed since this epoch.")] = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """List the links of the fabric as OpenSM's last sweep found them; the first line has the epoch, for --since.

    Example: `ibcc fabric topology --output json`
    """
    with connected(socket) as client:
        found = client.topology(since)
        names = {row["guid"]: row["description"] for row in found.nodes}
        if not found.full and not all(end in names for row in found.links for end in (row["guid"], row["peer_guid"])):
            names = {guid: row["description"] for guid, row in LiveTopology.of(client.topology()).nodes.items()}
    match output:
        case Output.JSON:
            common.write_json(asdict(found), output_file)
        case Output.CSV:
            common.write_csv(_LINK, [[row[key] for key in _LINK] for row in found.links], output_file)
        case Output.TABLE:
            common.write_rich(_tables(found, names), output_file)


def _tables(found: TopologyChanges, names: dict[str, str]) -> Iterator[RenderableType]:
    what = "" if found.full else " have changed"
    yield f"Epoch {found.epoch}: {len(found.nodes):,} nodes and {len(found.links):,} links{what}"
    for guid in found.removed_nodes:
        yield f"[yellow]Gone:[/yellow] node {guid}"
    for guid, port, peer_guid, peer_port in found.removed_links:
        yield f"[yellow]Gone:[/yellow] link from {guid} port {port} to {peer_guid} port {peer_port}"
    for manager in found.subnet_managers:
        yield f"Other subnet manager: {manager['guid']}, priority {manager['priority']}, {manager['state']}"
    table = common.table("Device", "Port", "Peer", "Port", "Rate", "State", right=["Port"])
    for row in found.links:
        table.add_row(
            _name(names, row["guid"]), str(row["port"]), _name(names, row["peer_guid"]), str(row["peer_port"]), *_state(row)
        )
    yield table


def _name(names: dict[str, str], guid: str) -> str:
    return escape(names.get(guid) or guid)


def _state(row: dict[str, Any]) -> tuple[str, str]:
    return row["rate"] or "unknown", row["state"] or "unknown"
