# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Changes of a fabric's forwarding tables from one night to another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from tuner.checks.expected import Expected
from tuner.fabric.forwarding import End, Forwarding, SwitchRow

Link: TypeAlias = tuple[End, End]


@dataclass(frozen=True)
class SwitchChange:
    """`entries`: how many of the switch's entries for adapters lead elsewhere. `example`: adapter's port by its name, the port
    before and now; 255 for none. `by_links`: how many of the entries went by a link that is gone, or go by a new one."""

    switch: SwitchRow
    entries: int
    of: int
    example: tuple[str, int, int]
    by_links: int


@dataclass(frozen=True)
class Changes:
    """Changes between switches and adapters that both nights have. `sl2vl`: switches whose SL-to-VL tables differ, with the
    number of pairs of ports; None for a table that is known in one of the nights only."""

    gone: Sequence[Link]
    new: Sequence[Link]
    engines: tuple[str, str] | None
    entries: Sequence[SwitchChange]
    sl2vl: Sequence[tuple[SwitchRow, int | None]]

    @property
    def count(self) -> int:
        return sum(one.entries for one in self.entries)

    @property
    def by_links(self) -> int:
        return sum(one.by_links for one in self.entries)


def changes(before: Forwarding, now: Forwarding) -> Changes:
    """Most changed switches first."""
    return Changes(
        gone=_sorted(before.links - now.links),
        new=_sorted(now.links - before.links),
        engines=_engines(before, now),
        entries=sorted(_entries(before, now), key=lambda one: (-one.entries, one.switch.name, one.switch.guid)),
        sl2vl=_sl2vl(before, now),
    )


def _sorted(links: frozenset[frozenset[End]]) -> list[Link]:
    ends = (sorted(link) for link in links)
    return sorted((one[0], one[-1]) for one in ends)


def _engines(before: Forwarding, now: Forwarding) -> tuple[str, str] | None:
    if before.engine is None or now.engine is None or before.engine == now.engine:
        return None
    return before.engine, now.engine


def _both(before: Sequence[object], now: Sequence[object]) -> tuple[list[int], list[int]]:
    """Places of the elements that both have."""
    place = {one: i for i, one in enumerate(before)}
    pairs = [(place[one], i) for i, one in enumerate(now) if one in place]
    return [i for i, _ in pairs], [i for _, i in pairs]


def _entries(before: Forwarding, now: Forwarding) -> list[SwitchChange]:
    rows = _both([switch.guid for switch in before.switches], [switch.guid for switch in now.switches])
    columns = _both([one.end for one in before.destinations], [one.end for one in now.destinations])
    if not rows[0] or not columns[0]:
        return []
    old, new = before.out[np.ix_(rows[0], columns[0])], now.out[np.ix_(rows[1], columns[1])]
    differ = old != new
    gone, added = _ports(before.links - now.links), _ports(now.links - before.links)
    found = []
    for i in np.flatnonzero(differ.any(axis=1)).tolist():
        switch = now.switches[rows[1][i]]
        first = int(np.argmax(differ[i]))
        moved = np.isin(old[i], gone.get(switch.guid, [])) | np.isin(new[i], added.get(switch.guid, []))
        found.append(
            SwitchChange(
                switch=switch,
                entries=int(differ[i].sum()),
                of=len(columns[0]),
                example=(now.destinations[columns[1][first]].name, int(old[i, first]), int(new[i, first])),
                by_links=int((differ[i] & moved).sum()),
            )
        )
    return found


def _ports(links: frozenset[frozenset[End]]) -> dict[int, list[int]]:
    """Ports of the links' ends, by node."""
    ports: dict[int, list[int]] = {}
    for link in links:
        for guid, port in link:
            ports.setdefault(guid, []).append(port)
    return ports


def _sl2vl(before: Forwarding, now: Forwarding) -> list[tuple[SwitchRow, int | None]]:
    old = {switch.guid: switch for switch in before.switches}
    found: list[tuple[SwitchRow, int | None]] = []
    for switch in now.switches:
        was = old.get(switch.guid)
        if was is None or was.sl2vl == switch.sl2vl:
            continue
        if was.sl2vl is None or switch.sl2vl is None or was.ports != switch.ports:
            found.append((switch, None))
        elif pairs := int((_tables(was) != _tables(switch)).any(axis=1).sum()):
            found.append((switch, pairs))
    return sorted(found, key=lambda one: (-(one[1] or 0), one[0].name, one[0].guid))


def _tables(switch: SwitchRow) -> "np.ndarray[tuple[int, int], np.dtype[np.uint8]]":
    """Tables of all pairs of ports, a row each."""
    tables = np.frombuffer(switch.sl2vl or b"", dtype=np.uint8).reshape(-1, 8)
    return np.broadcast_to(tables, (switch.ports * (switch.ports + 1), 8))


def without_planned(before: Forwarding, now: Forwarding, expected: Expected) -> Changes:
    """The changes, but for links that may be gone or new tonight. Entries that have changed with nothing but these are none: it
    cannot be told which entry has changed for which link."""
    found, names = changes(before, now), before.names | now.names
    gone = [link for link in found.gone if expected.gone(port_names(link, names)) is None]
    new = [
        link for link in found.new if expected.gone(ports := port_names(link, names)) is None and expected.moved(ports) is None
    ]
    planned = len(found.gone) + len(found.new) - len(gone) - len(new)
    is_planned = planned and not gone and not new and found.engines is None
    return replace(found, gone=gone, new=new, entries=() if is_planned else found.entries)


def port_names(link: Link, names: Mapping[int, str]) -> tuple[str, ...]:
    return tuple(f"{names.get(guid, f'0x{guid:016x}')}/{port}" for guid, port in link)
