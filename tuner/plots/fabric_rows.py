# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Trees and all that has levels: a row of switches a level, the hosts below their leaves."""

from collections.abc import Sequence

import numpy as np

from tuner.plots.fabric_layout import HostBar, Layout, Point, Points, bar_length
from tuner.plots.fabric_wiring import Pair, Wiring

MOST_SINGLE_HOSTS = 40
"""Fabrics of so many hosts have each drawn by itself, with its name."""
WIDEST_IN, NARROWEST_IN = 10.0, 4.2
ROW_IN = 1.55
_PER_HOST_IN, _PER_SWITCH_IN = 0.34, 0.5
_TO_BAR_IN, _BAR_IN = 0.42, 0.4
# Orders of rows are improved so often, up and down; a tree's are right after one round.
_ROUNDS = 3


def suits(wiring: Wiring) -> bool:
    """Whether there is more than one level, or so few switches that a row is the clearest."""
    return len(set(wiring.level_of)) > 1 or len(wiring.level_of) <= 3


def place(wiring: Wiring) -> Layout:
    levels = sorted({level for level in wiring.level_of if level is not None})
    rows = [[i for i, own in enumerate(wiring.level_of) if own == level] for level in levels]
    apart = [i for i, own in enumerate(wiring.level_of) if own is None]
    rows = _ordered(rows, wiring.neighbours) + ([apart] if apart else [])
    single = sum(map(len, wiring.hosts.values())) <= MOST_SINGLE_HOSTS
    weights = [max(1, len(wiring.hosts.get(i, ()))) if single else 1 for i in rows[0]]
    wanted = max(_PER_SWITCH_IN * max(map(len, rows)), _PER_HOST_IN * sum(weights) if single else 0.0)
    width = min(WIDEST_IN, max(NARROWEST_IN, wanted))
    at = np.zeros((len(wiring.level_of), 2))
    for height, row in enumerate(rows):
        edges = np.cumsum([0, *(weights if height == 0 else [1] * len(row))], dtype=np.float64)
        at[row, 0] = (edges[:-1] + edges[1:]) / 2 * (width / edges[-1])
        at[row, 1] = height * ROW_IN
    return Layout(
        switches=at,
        bars=tuple(_bars(wiring, at, width / sum(weights), single)),
        bends=_bends(wiring, at, rows),
        rows=tuple(_labels(wiring, rows, bool(apart))),
        spacing=width / max(map(len, rows)),
    )


def _ordered(rows: list[list[int]], neighbours: Sequence[Sequence[int]]) -> list[list[int]]:
    """Each row by the mean place of its neighbours in the rows next to it, which keeps the links of a subtree together."""
    rank = np.zeros(len(neighbours))
    level = np.full(len(neighbours), -1)
    for height, row in enumerate(rows):
        level[row] = height
        rank[row] = (np.arange(len(row)) + 0.5) / len(row)
    heights = range(len(rows))
    for _ in range(_ROUNDS):
        for side, order in ((-1, heights), (1, reversed(heights))):
            for height in order:
                row = rows[height]
                near = {i: [rank[j] for j in neighbours[i] if level[j] == height + side] for i in row}
                mean = {i: float(np.mean(ranks)) if ranks else rank[i] for i, ranks in near.items()}
                row.sort(key=lambda i: round(mean[i], 9))
                rank[row] = (np.arange(len(row)) + 0.5) / len(row)
    return rows


def _bars(wiring: Wiring, at: Points, per_host: float, single: bool) -> list[HostBar]:
    bars = []
    for switch, hosts in sorted(wiring.hosts.items()):
        x, y = at[switch]
        if single:
            for place, host in enumerate(hosts):
                spot = (x + (place - (len(hosts) - 1) / 2) * per_host, y - _TO_BAR_IN - 0.18)
                name = wiring.document.nodes[host[1].node].name
                bars.append(HostBar(switch=switch, hosts=(host,), at=spot, along=(0.0, -0.13), name=name))
        else:
            down = (0.0, -bar_length(len(hosts), wiring.most_hosts, _BAR_IN))
            bars.append(HostBar(switch=switch, hosts=tuple(hosts), at=(x, y - _TO_BAR_IN), along=down))
    return bars


def _bends(wiring: Wiring, at: Points, rows: list[list[int]]) -> dict[Pair, Point]:
    """Links within a row pass above the switches between their ends; links that skip rows pass beside those in the rows between."""
    place = {i: (height, column) for height, row in enumerate(rows) for column, i in enumerate(row)}
    bends: dict[Pair, Point] = {}
    for a, b in wiring.trunks:
        (row_a, column_a), (row_b, column_b) = place[a], place[b]
        if row_a == row_b and abs(column_a - column_b) > 1:
            bends[a, b] = (0.0, min(0.75 * ROW_IN, 0.3 + 0.12 * abs(at[a][0] - at[b][0])))
        elif abs(row_a - row_b) > 1:
            bends[a, b] = (0.35, 0.0)
    return bends


def _labels(wiring: Wiring, rows: list[list[int]], apart: bool) -> list[tuple[float, str]]:
    labels = []
    for height, row in enumerate(rows):
        level = "no hosts in reach" if apart and row is rows[-1] else "leaves" if height == 0 else f"level {height + 1}"
        switches = "1 switch" if len(row) == 1 else f"{len(row):,} switches"
        labels.append((height * ROW_IN, f"{level}\n{switches}"))
    links = sum(map(len, wiring.hosts.values()))
    ends = sorted({len(hosts) for hosts in wiring.hosts.values()})
    if ends:
        each = f"{ends[0]}" if len(ends) == 1 else f"{ends[0]} to {ends[-1]}"
        labels.append((-_TO_BAR_IN - _BAR_IN / 2, f"hosts\n{links:,}: {each} a leaf"))
    return labels
