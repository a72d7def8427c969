# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Forwarding tables as the record of a night."""

import base64
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from tuner.errors import BadInputError
from tuner.fabric.forwarding import Destination, Forwarding, SwitchRow

_FORMAT = 1


def record_of(forwarding: Forwarding) -> dict[str, Any]:
    """Links are named by numbers of nodes, as each is named several times."""
    guids = [switch.guid for switch in forwarding.switches]
    nodes = sorted({guid for link in forwarding.links for guid, _ in link} | set(guids))
    number = {guid: i for i, guid in enumerate(nodes)}
    links = sorted(sorted((number[guid], port) for guid, port in link) for link in forwarding.links)
    return {
        "format": _FORMAT,
        "engine": forwarding.engine,
        "sl_by_path": forwarding.sl_by_path,
        "nodes": [f"{guid:016x}" for guid in nodes],
        "switches": [[number[switch.guid], switch.name, switch.ports, _packed(switch.sl2vl)] for switch in forwarding.switches],
        "destinations": [[f"{one.guid:016x}", one.port, one.name, one.lid, one.is_host] for one in forwarding.destinations],
        "links": [[*a, *b] for a, b in links],
        "out": _packed(forwarding.out.tobytes()),
    }


def forwarding_of(record: Mapping[str, Any]) -> Forwarding:
    """Raises BadInputError for a record that is none."""
    try:
        return _forwarding_of(record)
    except (KeyError, IndexError, TypeError, ValueError, zlib.error) as error:
        raise BadInputError(f"the record of the last good night is none of forwarding tables: {error!r}") from error


def _forwarding_of(record: Mapping[str, Any]) -> Forwarding:
    if record["format"] != _FORMAT:
        raise ValueError(f"format is {record['format']}, but must be {_FORMAT}")
    guids = [int(guid, 16) for guid in record["nodes"]]
    switches = [SwitchRow(guids[i], name, ports, _unpacked(sl2vl)) for i, name, ports, sl2vl in record["switches"]]
    destinations = [
        Destination(int(guid, 16), port, name, lid, is_host) for guid, port, name, lid, is_host in record["destinations"]
    ]
    out = np.frombuffer(_unpacked(record["out"]) or b"", dtype=np.uint8).reshape(len(switches), len(destinations))
    links = frozenset(frozenset(((guids[a], port), (guids[b], other))) for a, port, b, other in record["links"])
    return Forwarding(switches, destinations, links, out, record["engine"], record["sl_by_path"])


def _packed(data: bytes | None) -> str | None:
    """Compressed before it is text: gzip finds little in Base64."""
    return None if data is None else base64.b64encode(zlib.compress(data, 6)).decode()


def _unpacked(text: str | None) -> bytes | None:
    return None if text is None else zlib.decompress(base64.b64decode(text, validate=True))
