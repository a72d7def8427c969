# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The record of a night: all links and the counters of their ports, for later nights to compare with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tuner.checks.links.ports import Link, LinkKey, PortKey, link_key, place_of
from tuner.checks.links.reading import Counts
from tuner.errors import BadInputError
from tuner.mads.performance import COUNTERS, XMIT_WAIT, Ability

SCHEMA = 1


@dataclass(frozen=True, kw_only=True)
class Past:
    """An earlier night. `places`: of its links. `names`: of their ports. `waits`: by port, the share of time that PortXmitWait is
    compared with."""

    at: datetime
    places: Mapping[LinkKey, str]
    names: Mapping[PortKey, str]
    counts: Mapping[PortKey, Counts]
    waits: Mapping[PortKey, float]


def to_record(
    at: datetime, links: Sequence[Link], counts: Mapping[PortKey, Counts], waits: Mapping[PortKey, float]
) -> dict[str, Any]:
    """A node is written once, and links refer to it by its place in the list."""
    nodes = {end.guid: end.description for link in links for end, _ in link.ends}
    numbers = {guid: number for number, guid in enumerate(nodes)}
    return {
        "links_record": SCHEMA,
        "at": at.isoformat(timespec="milliseconds"),
        "counters": list(COUNTERS),
        "nodes": [[guid, description] for guid, description in nodes.items()],
        "links": [[[numbers[end.guid], end.number, *_port(end.key, counts, waits)] for end, _ in link.ends] for link in links],
    }


def from_record(record: Mapping[str, Any]) -> Past:
    """Raises BadInputError for one of another version."""
    if record.get("links_record") != SCHEMA or record.get("counters") != list(COUNTERS):
        raise BadInputError("the record of the last nights is of another version of ibcc; remove it from the check's history")
    places: dict[LinkKey, str] = {}
    names: dict[PortKey, str] = {}
    counts: dict[PortKey, Counts] = {}
    waits: dict[PortKey, float] = {}
    for ends in record["links"]:
        keys = []
        for node, number, wait, extended, values in ends:
            guid, description = record["nodes"][node]
            keys.append((guid, number))
            names[guid, number] = f"{description}/{number}"
            if values is not None:
                able = Ability(extended=extended, waits=values[COUNTERS.index(XMIT_WAIT)] is not None)
                counts[guid, number] = Counts(able, tuple(values))
            if wait is not None:
                waits[guid, number] = wait
        places[link_key(keys[0], keys[1])] = place_of(*(names[key] for key in keys))
    return Past(at=datetime.fromisoformat(record["at"]), places=places, names=names, counts=counts, waits=waits)


def _port(key: PortKey, counts: Mapping[PortKey, Counts], waits: Mapping[PortKey, float]) -> list[Any]:
    wait = None if key not in waits else float(f"{waits[key]:.3g}")
    if key not in counts:
        return [wait, None, None]
    return [wait, counts[key].able.extended, list(counts[key].values)]
