# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Rows of switches, and the runs of a row that a picture shows as one node."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import TypeAlias

MOST_IN_ROW = 48
"""Largest number of nodes drawn while no group is expanded: more cannot be told apart or clicked."""

Run: TypeAlias = tuple[int, int]
"""First and last position in a row, both in it."""


@dataclass(frozen=True)
class Row:
    level: int | None
    nodes: tuple[int, ...]


def by_pod(rows: Sequence[Row], neighbours: Sequence[Sequence[int]]) -> tuple[list[Row], list[list[Run]]]:
    """The rows with each pod's switches side by side, and the pods' runs by row but the highest; the rows as they are, and no
    runs, of a fabric that has no pods or more than can be shown."""
    pod_of = _components([switch for row in rows[:-1] for switch in row.nodes], neighbours)
    pods = {pod: number for number, pod in enumerate(dict.fromkeys(pod_of.values()))}  # as they follow in the lowest row
    if not 1 < len(pods) <= MOST_IN_ROW:
        return list(rows), []
    sorted_rows = [Row(row.level, tuple(sorted(row.nodes, key=lambda switch: pods[pod_of[switch]]))) for row in rows[:-1]]
    runs: list[list[Run]] = []
    for row in sorted_rows:
        sizes = [len(list(own)) for _, own in groupby(row.nodes, key=lambda switch: pod_of[switch])]
        ends = list(accumulate(sizes))
        runs.append([(end - size, end - 1) for size, end in zip(sizes, ends, strict=True)])
    return [*sorted_rows, *rows[-1:]], runs


_WORD = re.compile(r"[^\W\d_]+\d*|\d+")
"""A word of a name: letters with the number behind them, such as the chassis, line card and unit of `core1:CS7500/L12/U2`."""


def by_name(row: Row, name_of: Mapping[int, str]) -> tuple[Row, list[tuple[Run, str]]]:
    """The row with switches of one chassis, line card or rack side by side, as far as their names say so, and the runs of these
    with what their names begin with. The longest beginnings that make at most MOST_IN_ROW runs are taken; the row as it is, and
    no runs, where none do, or where each switch would be a run."""
    ends = {switch: [word.end() for word in _WORD.finditer(name_of[switch])] for switch in row.nodes}
    for words in range(max(map(len, ends.values()), default=0), 0, -1):
        groups: dict[str, list[int]] = {}
        for switch in row.nodes:
            cut = ends[switch][words - 1] if len(ends[switch]) >= words else None
            groups.setdefault(name_of[switch][:cut], []).append(switch)
        if 1 < len(groups) <= MOST_IN_ROW and len(groups) < len(row.nodes):
            break
    else:
        return row, []
    place = {switch: i for i, switch in enumerate(row.nodes)}
    by_place = sorted(groups.items(), key=lambda group: sum(place[switch] for switch in group[1]) / len(group[1]))
    last = [*accumulate(len(group) for _, group in by_place)]
    runs = [((end - len(group), end - 1), name) for end, (name, group) in zip(last, by_place, strict=True)]
    return Row(row.level, tuple(switch for _, group in by_place for switch in group)), runs


def _components(nodes: Sequence[int], neighbours: Sequence[Sequence[int]]) -> dict[int, int]:
    """Returns for each node the first of the nodes that it is connected with through these nodes alone."""
    wanted = set(nodes)
    found: dict[int, int] = {}
    for first in nodes:
        if first in found:
            continue
        found[first] = first
        waiting = [first]
        while waiting:
            for near in neighbours[waiting.pop()]:
                if near in wanted and near not in found:
                    found[near] = first
                    waiting.append(near)
    return found


def divided(run: Run, parts: int) -> Iterator[Run]:
    """Yields a run in at most `parts` parts of nearly the same length, none of them empty."""
    first, last = run
    length = last - first + 1
    for i in range(min(parts, length)):
        begin, end = first + i * length // min(parts, length), first + (i + 1) * length // min(parts, length)
        yield begin, end - 1
