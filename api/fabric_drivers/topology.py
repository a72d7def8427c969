# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric as a picture that people can read: rows by level, hosts and switches put together where a row would hold too many.

Groups are runs of a row, whose order keeps subtrees together: `switches:LEVEL:FIRST-LAST`, `hosts:FIRST-LAST` (the hosts of
those leaves, in the order of the lowest row) and `hosts:LEVEL:FIRST-LAST` (hosts of higher switches, such as gateways and
storage, which are one group a level while none is open). In a tree they are the pods: what hangs together below the top level,
so that the links between groups stay as few as the groups. Where all hangs together, they are chassis, line cards or racks, as
far as names say so. A group that is expanded gives way to its parts: the same run always has the same parts, so an id means
the same in every answer.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import ccsim
from api.fabric_drivers.base import guid_text
from api.fabric_drivers.topology_runs import MOST_IN_ROW, Row, Run, by_name, by_pod, divided
from tuner.documents.fabric import FabricDocument
from tuner.errors import BadInputError
from tuner.fabric.levels import levels_of_switches
from tuner.report.plots.fabric_rows import ordered_rows
from tuner.report.plots.fabric_wiring import Wiring

MOST_NODES = 600
"""With everything that is expanded."""
WIDTH, ROW_HEIGHT = 1600.0, 180.0
"""Size of the picture, in units of about a pixel at full size; y grows downwards, hosts are at the bottom."""

Load: TypeAlias = Mapping[int, float]
"""Congestion of each node, 0 to 1, by node; nodes of which nothing is known are missing."""
Marks: TypeAlias = Mapping[int, Collection[str]]
"""Marks of each node that has any, by node."""

_CROWDED = 0.6
"""Least distance of two nodes of a row, as a share of what equal distances would be: nearer ones would cover each other."""
_PARTS = 24
_ROWS_TOGETHER = 60
"""Maximum number of switches in a run that is expanded into single ones; a longer run is expanded into _PARTS runs."""


@dataclass(frozen=True)
class _Shown:
    """A node of the picture."""

    id: str
    row: int
    """0: the hosts."""
    at: float
    """Position in its row, 0 to 1."""
    kind: Literal["host", "switch", "group"]
    name: str
    members: tuple[int, ...]
    named: bool = False
    """A group whose name is what its members' begin with, rather than the first and the last of these."""


class Topology:
    """Levels, order and wiring of a fabric; made once, since large ones take a second."""

    def __init__(self, document: FabricDocument) -> None:
        self.document = document
        self._wiring = wiring = Wiring(document, levels_of_switches(document))
        rows = [Row(wiring.level_of[row[0]], tuple(row)) for row in ordered_rows(wiring) if row]
        self._rows, pods = by_pod(rows, wiring.neighbours)
        self._groups: list[list[Run]] = [*pods, *([] for _ in self._rows[len(pods) :])]
        """Runs of each row that hang together or are named alike; none where nothing says so."""
        self._group_names: dict[tuple[int, Run], str] = {}
        self._telling: dict[int, str] = {}
        """Names of the switches of rows that are shown in groups, by which these are told apart."""
        for number, row in enumerate(self._rows):
            if len(row.nodes) <= MOST_IN_ROW:
                continue
            self._telling |= self._telling_names(row)
            if not self._groups[number]:
                self._rows[number], named = by_name(row, self._telling)
                self._groups[number] = [run for run, _ in named]
                self._group_names |= {(number, run): name for run, name in named}
        self._own_hosts = self._hosts_by_switch()
        self._hosts_at = {
            host: (number, position)
            for number, row in enumerate(self._own_hosts)
            for position, hosts in enumerate(row)
            for host in hosts
        }
        self._switch_at = {switch: (number, i) for number, row in enumerate(self._rows) for i, switch in enumerate(row.nodes)}
        self._is_small = max([len(self._hosts_at), *(len(row.nodes) for row in self._rows)]) <= MOST_IN_ROW

    def view(
        self,
        expand: Sequence[str] = (),
        load: Load | None = None,
        marks: Marks | None = None,
        down: Collection[tuple[int, int]] = (),
    ) -> dict[str, Any]:
        """`levels` and `links`, of at most MOST_NODES nodes. `expand`: ids of groups that are shown by their parts. `down`: ends,
        as (node, port), of links that are down. Raises BadInputError for an id that is none."""
        shown = self._of(expand)
        load = load or {}
        owner = {member: one.id for one in shown for member in one.members}
        return {
            "levels": list(self._levels(shown, load, marks or {})),
            "links": list(self._links(owner, load, down)),
            "width": WIDTH,
            "height": ROW_HEIGHT * max(1, len(self._rows)),
            "hosts": len(self._hosts_at),
            "switches": len(self.document.switches),
            "undrawn": dict(sorted(self._wiring.undrawn.items())),
            "incomplete": self.document.incomplete,
        }

    def ids(self, expand: Sequence[str] = ()) -> dict[int, str]:
        """Returns by node the id in the picture of the node that stands for it. Raises BadInputError as `view` does."""
        return {member: one.id for one in self._of(expand) for member in one.members}

    def opening(self, node: int) -> list[str]:
        """Returns the groups to expand, the largest first, until a node is drawn by itself; empty if it is, or is not drawn."""
        host = node >= len(self.document.switches)
        place = self._hosts_at.get(node) if host else self._switch_at[node]
        if place is None or self._is_small:
            return []
        row, position = place
        found: list[str] = []
        alone = host and row > 0
        runs: Iterable[Run] = [self._whole(row)] if alone else self._runs_of(row)
        while True:
            run = next(one for one in runs if one[0] <= position <= one[1])
            length = run[1] - run[0] + 1
            if length == 1:
                break
            found.append(self._hosts_id(row, run) if alone else self._run_id(row, run))
            runs = divided(run, length if length <= _ROWS_TOGETHER else _PARTS)
        if host and len(self._own_hosts[row][position]) > 1:
            found.append(self._hosts_id(row, (position, position)))
        return found

    def _of(self, expand: Sequence[str]) -> list[_Shown]:
        return self._shown([self._parsed(one) for one in expand])

    def _telling_names(self, row: Row) -> dict[int, str]:
        """The switches' names; of those that share theirs with another, such as switches without a management of their own, the
        first name of their hosts."""
        names = {switch: self._wiring.name(switch) for switch in row.nodes}
        alike = Counter(names.values())
        for switch, name in names.items():
            hosts = [self._wiring.name(host.node) for _, host in self._wiring.hosts.get(switch, ())]
            if alike[name] > 1 and hosts:
                names[switch] = f"switches of {min(hosts, key=lambda host: (len(host), host))}"
        return names

    def _run_id(self, row: int, run: Run) -> str:
        return f"switches:{_level_text(self._rows[row].level)}:{run[0]}-{run[1]}"

    def _hosts_id(self, row: int, run: Run) -> str:
        level = f"{_level_text(self._rows[row].level)}:" if row else ""
        return f"hosts:{level}{run[0]}-{run[1]}"

    def _whole(self, row: int) -> Run:
        return 0, len(self._rows[row].nodes) - 1

    def _hosts_by_switch(self) -> list[list[list[int]]]:
        """Hosts of each switch, by row and position in it; a host with several links is with the first, the lowest row first."""
        seen: set[int] = set()
        found: list[list[list[int]]] = []
        for row in self._rows:
            found.append([])
            for switch in row.nodes:
                own = [host.node for _, host in self._wiring.hosts.get(switch, ()) if host.node not in seen]
                found[-1].append(list(dict.fromkeys(own)))
                seen.update(own)
        return found

    def _parsed(self, text: str) -> tuple[str, int, Run]:
        """(kind, row, run)."""
        kind, _, rest = text.partition(":")
        try:
            row = 0
            if kind == "switches" or ":" in rest:
                level, _, rest = rest.partition(":")
                row = next(i for i, one in enumerate(self._rows) if _level_text(one.level) == level)
            first, last = (int(part) for part in rest.split("-"))
        except (ValueError, StopIteration):
            first, last = 1, 0
        if kind not in ("switches", "hosts") or not 0 <= first <= last < (len(self._rows[row].nodes) if self._rows else 0):
            raise BadInputError(
                f"'{text}' is not a group; the identifier of a group in this fabric's topology would be right, "
                "such as switches:1:0-23"
            )
        return kind, row, (first, last)

    def _shown(self, wanted: Sequence[tuple[str, int, Run]]) -> list[_Shown]:
        shown = self._in_rows(wanted)
        if len(shown) > MOST_NODES:
            raise BadInputError(f"expanding these groups would show {len(shown):,} nodes; at most {MOST_NODES} can be shown")
        # The parts of a group that is open need more room than the group had.
        return list(_side_by_side(shown, {one.row for one in shown} if wanted else _crowded(shown)))

    def _in_rows(self, wanted: Sequence[tuple[str, int, Run]]) -> list[_Shown]:
        rows = range(len(self._rows))
        if self._is_small:
            hosts = [host for number in rows for host in self._each_host(number, self._whole(number))]
            return [*sorted(hosts, key=lambda host: host.at), *self._all_switches()]
        shown: list[_Shown] = []
        hosts = []
        for number in rows:
            of_hosts = [run for kind, in_row, run in wanted if in_row == number and kind == "hosts"]
            of_all = [run for kind, in_row, run in wanted if in_row == number and (kind == "switches" or number == 0)]
            runs = list(self._opened(self._runs_of(number), of_all))
            shown += [self._switch_run(number, run) for run in runs]
            for run in runs if number == 0 else self._opened([self._whole(number)], of_hosts):
                hosts += self._host_run(number, run, is_open=run in of_hosts)
        return [*sorted(hosts, key=lambda host: host.at), *shown]

    def _runs_of(self, number: int) -> Iterable[Run]:
        """Returns the runs into which a row is divided while nothing is expanded."""
        length = len(self._rows[number].nodes)
        if length <= MOST_IN_ROW:
            return divided((0, length - 1), length)
        return self._groups[number] or divided((0, length - 1), _PARTS)

    def _opened(self, runs: Iterable[Run], open_runs: Sequence[Run]) -> Iterator[Run]:
        """The runs; those that are open, or hold an open one, in their parts."""
        for part in runs:
            inside = [one for one in open_runs if part[0] <= one[0] and one[1] <= part[1]]
            length = part[1] - part[0] + 1
            if length > 1 and inside:
                deeper = [one for one in inside if one != part]
                yield from self._opened(divided(part, length if length <= _ROWS_TOGETHER else _PARTS), deeper)
            else:
                yield part

    def _switch_run(self, row: int, run: Run) -> _Shown:
        first, last = run
        members = self._rows[row].nodes[first : last + 1]
        at = ((first + last) / 2 + 0.5) / len(self._rows[row].nodes)
        if len(members) == 1:
            return _Shown(self._guid(members[0]), row + 1, at, "switch", self._wiring.name(members[0]), members)
        if (row, run) in self._group_names:
            return _Shown(self._run_id(row, run), row + 1, at, "group", self._group_names[row, run], members, named=True)
        name = " … ".join(self._ends(members))
        return _Shown(self._run_id(row, run), row + 1, at, "group", name, members)

    def _host_run(self, row: int, run: Run, *, is_open: bool) -> list[_Shown]:
        """The hosts of a run of switches as one node, or each by itself: nothing where there are none."""
        first, last = run
        own = self._own_hosts[row]
        places = [place for place in range(first, last + 1) if own[place]]
        members = tuple(host for place in places for host in own[place])
        if not members:
            return []
        if len(members) == 1 or (is_open and first == last):
            return list(self._each_host(row, run))
        middle = (first + last) / 2 if row == 0 else sum(places) / len(places)
        name = " … ".join(self._ends(members))
        return [_Shown(self._hosts_id(row, run), 0, (middle + 0.5) / len(own), "group", name, members)]

    def _each_host(self, row: int, run: Run) -> Iterator[_Shown]:
        own = self._own_hosts[row]
        for position in range(run[0], run[1] + 1):
            hosts = own[position]
            for number, host in enumerate(hosts):
                at = (position + (number + 0.5) / len(hosts)) / len(own)
                yield _Shown(self._guid(host), 0, at, "host", self._wiring.name(host), (host,))

    def _all_switches(self) -> Iterator[_Shown]:
        for number, row in enumerate(self._rows):
            for position in range(len(row.nodes)):
                yield self._switch_run(number, (position, position))

    def _ends(self, members: Sequence[int]) -> list[str]:
        """Names of the first and the last of a group."""
        return [self._telling.get(member) or self._wiring.name(member) for member in (members[0], members[-1])]

    def _levels(self, shown: Sequence[_Shown], load: Load, marks: Marks) -> Iterator[dict[str, Any]]:
        by_row: dict[int, list[_Shown]] = defaultdict(list)
        for one in shown:
            by_row[one.row].append(one)
        for number in sorted(by_row):
            y = ROW_HEIGHT * (len(self._rows) - number)
            yield {
                "level": 0 if number == 0 else self._rows[number - 1].level,
                "kind": self._kind_of(number),
                "nodes": [self._node(one, y, load, marks) for one in by_row[number]],
            }

    def _kind_of(self, number: int) -> str:
        if number == 0:
            return "hosts"
        if self._rows[number - 1].level is None:
            return "unconnected"
        if number == 1:
            return "leaf"
        above = self._rows[number:]
        return "middle" if any(row.level is not None for row in above) else "spine"

    def _node(self, one: _Shown, y: float, load: Load, marks: Marks) -> dict[str, Any]:
        known = [load[member] for member in one.members if member in load]
        marked = [marks[member] for member in one.members if marks.get(member)]
        ends = self._ends(one.members)
        return {
            "id": one.id,
            "guid": None if one.kind == "group" else one.id,
            "name": one.name,
            "ends": ends if one.kind == "group" and not one.named else None,
            "kind": one.kind,
            "count": len(one.members),
            "x": round(one.at * WIDTH, 2),
            "y": y,
            "congestion": round(max(known), 4) if known else None,
            "marks": sorted({mark for own in marked for mark in own}),
            "marked": len(marked),
        }

    def _links(self, owner: Mapping[int, str], load: Load, down: Collection[tuple[int, int]]) -> Iterator[dict[str, Any]]:
        """Between nodes of the picture; what is inside one is not shown."""
        counts: Counter[tuple[str, str]] = Counter()
        rates: dict[tuple[str, str], str] = {}
        worst: dict[tuple[str, str], float] = {}
        downs: Counter[tuple[str, str]] = Counter()
        for a, b in self._wiring.links():
            ends = owner.get(a.node), owner.get(b.node)
            if ends[0] is None or ends[1] is None or ends[0] == ends[1]:
                continue
            pair = (ends[0], ends[1])
            counts[pair] += 1
            downs[pair] += (a.node, a.port) in down
            rates.setdefault(pair, self._wiring.rate_of[a])
            if a.node in load and b.node in load:
                worst[pair] = max(worst.get(pair, 0.0), min(load[a.node], load[b.node]))
        for (one, other), count in counts.items():
            pair = (one, other)
            congestion = round(worst[pair], 4) if pair in worst else None
            rate_gbps = _gbps(rates[pair])
            link = {"a": one, "b": other, "count": count, "down": downs[pair]}
            yield link | {"rate_gbps": rate_gbps, "congestion": congestion}

    def _guid(self, node: int) -> str:
        return guid_text(self.document.guid_of(node))


def _crowded(shown: Sequence[_Shown]) -> set[int]:
    """Rows in which nodes would cover each other."""
    places: dict[int, list[float]] = defaultdict(list)
    for one in shown:
        places[one.row].append(one.at)
    return {row for row, at in places.items() if any(right - left < _CROWDED / len(at) for left, right in pairwise(at))}


def _side_by_side(shown: Sequence[_Shown], rows: Collection[int]) -> Iterator[_Shown]:
    """The nodes of these rows at equal distances; others stay where they are."""
    in_row = Counter(one.row for one in shown)
    placed: Counter[int] = Counter()
    for node in shown:
        yield replace(node, at=(placed[node.row] + 0.5) / in_row[node.row]) if node.row in rows else node
        placed[node.row] += 1


def _level_text(level: int | None) -> str:
    return "none" if level is None else str(level)


@lru_cache(maxsize=64)
def _gbps(rate: str) -> float:
    return round(ccsim.link_data_gbps(rate), 3)


_KEPT = 4
_topologies: dict[int, Topology] = {}


def topology_of(document: FabricDocument) -> Topology:
    """Made once for a document that is kept, such as those of documents.py."""
    found = _topologies.get(id(document))
    if found is None or found.document is not document:
        found = Topology(document)
        while len(_topologies) >= _KEPT:
            _topologies.pop(next(iter(_topologies)), None)
        _topologies[id(document)] = found
    return found
