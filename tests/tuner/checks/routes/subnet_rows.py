# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Rows of the plugin's `links` and `routes` for tables that a real OpenSM has dumped."""

import base64
from pathlib import Path
from typing import Any

from tuner.fabric.forwarding import End, Forwarding, of_document
from tuner.fabric.importers.base import import_fabric

DUMPS = Path(__file__).parents[3] / "data/opensm"


def dumped(fabric: str, engine: str) -> Forwarding:
    """A fabric of tests/data/opensm."""
    topology = DUMPS / fabric / "ibnetdiscover.txt"
    return of_document(import_fabric(topology, routes=DUMPS / fabric / f"{engine}.lfts.dump").fabric)


def dumped_files(folder: Path, fabric: str = "fat-tree", engine: str = "ftree") -> dict[str, Any]:
    """Copies of such files that are of this night, by the options that name them."""
    sources = {"topology": "ibnetdiscover.txt", "tables": f"{engine}.lfts.dump"}
    copies = {key: folder / source for key, source in sources.items()}
    for key, source in sources.items():
        copies[key].write_text((DUMPS / fabric / source).read_text())
    return {key: str(path) for key, path in copies.items()}


def links_of(f: Forwarding) -> list[dict[str, Any]]:
    peers: dict[End, End] = {}
    for link in f.links:
        a, b = link
        peers |= {a: b, b: a}
    rows = []
    for switch in f.switches:
        for port in range(1, switch.ports + 1):
            rows.append(_row(switch.guid, port, "switch", switch.name, None, peers.get((switch.guid, port))))
    for one in f.destinations:
        rows.append(_row(one.guid, one.port, "ca", one.name, one.lid, peers.get(one.end)))
    return rows


def routes_of(f: Forwarding) -> list[dict[str, Any]]:
    rows = []
    for s, switch in enumerate(f.switches):
        lft = bytearray([255]) * (1 + max(one.lid for one in f.destinations))
        for d, one in enumerate(f.destinations):
            lft[one.lid] = int(f.out[s, d])
        rows.append(
            {
                "guid": f"0x{switch.guid:016x}",
                "description": switch.name,
                "lid": None,
                "ports": switch.ports,
                "lft": base64.b64encode(lft).decode(),
                "sl2vl": None if switch.sl2vl is None else base64.b64encode(switch.sl2vl).decode(),
            }
        )
    return rows


def _row(guid: int, port: int, kind: str, name: str, lid: int | None, peer: End | None) -> dict[str, Any]:
    return {
        "guid": f"0x{guid:016x}",
        "port": port,
        "kind": kind,
        "description": name,
        "lid": lid,
        "peer_guid": None if peer is None else f"0x{peer[0]:016x}",
        "peer_port": None if peer is None else peer[1],
        "state": "down" if peer is None else "active",
    }
