# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The record of a night: all links and the counters of their ports, for later nights to compare with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from tuner.checks.links.ports import Ability as LinkAbility
from tuner.checks.links.ports import Link, LinkKey, PortKey, link_key, place_of
from tuner.checks.links.reading import Counts
from tuner.errors import BadInputError
from tuner.mads.performance import COUNTERS, XMIT_WAIT, Ability

SCHEMA = 1
NOT_YET = date.max
"""`since` of a link that is gone by a plan: it is missed from the night on in which no plan excuses it."""


@dataclass(frozen=True)
class Gone:
    """A host's link that was gone in an earlier night. `names`: of its ports, as in the key. `since`: the first night without."""

    names: tuple[str, str]
    since: date


@dataclass(frozen=True, kw_only=True)
class Past:
    """An earlier night. `places`: of its links. `names`: of their ports. `waits`: by port, the share of time that PortXmitWait is
    compared with. `switches`: GUIDs. `abilities`: what links had, as far as it is known. `gone`: host links that were gone.
    `sent_words`: PortXmitData of switches' ports to hosts. `withheld`: by host, as `withheld.withheld`; None: nothing was
    compared. Records of earlier versions have none of the last five."""

    at: datetime
    places: Mapping[LinkKey, str]
    names: Mapping[PortKey, str]
    counts: Mapping[PortKey, Counts]
    waits: Mapping[PortKey, float]
    switches: frozenset[str] = frozenset()
    abilities: Mapping[LinkKey, LinkAbility] = field(default_factory=dict)
    gone: Mapping[LinkKey, Gone] = field(default_factory=dict)
    sent_words: Mapping[PortKey, int] = field(default_factory=dict)
    withheld: Mapping[str, float] | None = None


def to_record(
    at: datetime,
    links: Sequence[Link],
    counts: Mapping[PortKey, Counts],
    waits: Mapping[PortKey, float],
    gone: Mapping[LinkKey, Gone],
    *,
    sent_words: Mapping[PortKey, int] | None = None,
    withheld: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """A node is written once, and links refer to it by its place in the list."""
    nodes = {end.guid: end.description for link in links for end, _ in link.ends}
    switches = {end.guid for link in links for end, _ in link.ends if end.is_switch}
    numbers = {guid: number for number, guid in enumerate(nodes)}
    return {
        "links_record": SCHEMA,
        "at": at.isoformat(timespec="milliseconds"),
        "counters": list(COUNTERS),
        "nodes": [[guid, description] for guid, description in nodes.items()],
        "switches": [numbers[guid] for guid in nodes if guid in switches],
        "abilities": [[link.a.active.width, link.a.active.speed] for link in links],
        "gone": [[*key, *one.names, one.since.isoformat()] for key, one in gone.items()],
        "sent": [[numbers[guid], port, words] for (guid, port), words in (sent_words or {}).items()],
        "withheld": None if withheld is None else dict(withheld),
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
    keys_of_links: list[LinkKey] = []
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
        keys_of_links.append(link_key(keys[0], keys[1]))
        places[keys_of_links[-1]] = place_of(*(names[key] for key in keys))
    gone = {}
    for a, b, *both, since in record.get("gone", ()):
        gone[link_key((a[0], a[1]), (b[0], b[1]))] = Gone((both[0], both[1]), date.fromisoformat(since))
    return Past(
        at=datetime.fromisoformat(record["at"]),
        places=places,
        names=names,
        counts=counts,
        waits=waits,
        switches=frozenset(record["nodes"][number][0] for number in record.get("switches", ())),
        abilities={
            key: LinkAbility(width=width, speed=speed)
            for key, (width, speed) in zip(keys_of_links, record.get("abilities", ()), strict=False)
        },
        gone=gone,
        sent_words={(record["nodes"][node][0], port): words for node, port, words in record.get("sent", ())},
        withheld=record.get("withheld"),
    )


def names_in(record: Mapping[str, Any]) -> dict[str, str]:
    """Returns the names of nodes by their GUIDs."""
    return dict(record["nodes"])


def _port(key: PortKey, counts: Mapping[PortKey, Counts], waits: Mapping[PortKey, float]) -> list[Any]:
    wait = None if key not in waits else float(f"{waits[key]:.3g}")
    if key not in counts:
        return [wait, None, None]
    return [wait, counts[key].able.extended, list(counts[key].values)]
