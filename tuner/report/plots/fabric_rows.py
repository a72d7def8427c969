# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Trees and all that has levels: a row of switches a level, the hosts below their leaves.

Unfolded, the rows stand twice, mirrored at the topmost level: above it switches pass packets up, away from the hosts that send,
and below it down to the hosts that receive. Congestion trees are seen with their roots at the bottom.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from tuner.report.plots.fabric_geometry import HostBar, Layout, Point, Points, Side, bar_length
from tuner.report.plots.fabric_wiring import Pair, Wiring

MOST_SINGLE_HOSTS = 40
"""Maximum number of hosts of a fabric in which each is drawn by itself, with its name."""
WIDEST_IN, NARROWEST_IN = 10.0, 4.4
ROW_IN = 1.5
_PER_HOST_IN, _PER_SWITCH_IN = 0.34, 0.5
_TO_BAR_IN, _BAR_IN = 0.42, 0.4
_TO_HOST_IN, _HOST_IN = 0.6, 0.13
# Number of rounds in which the orders of rows are improved, up and down; a tree's are right after one.
_ROUNDS = 3


def suits(wiring: Wiring) -> bool:
    """True if there is more than one level, or so few switches (at most 3) that a row is the clearest."""
    return len(set(wiring.level_of)) > 1 or len(wiring.level_of) <= 3


def place(wiring: Wiring, *, directed: bool) -> Layout:
    rows = ordered_rows(wiring)
    single = sum(map(len, wiring.hosts.values())) <= MOST_SINGLE_HOSTS
    weights = [max(1, len(wiring.hosts.get(i, ()))) if single else 1 for i in rows[0]]
    wanted = max(_PER_SWITCH_IN * max(map(len, rows)), _PER_HOST_IN * sum(weights) if single else 0.0)
    width = min(WIDEST_IN, max(NARROWEST_IN, wanted))
    at, room, rank = np.zeros((len(wiring.level_of), 2)), np.zeros(len(wiring.level_of)), [0] * len(wiring.level_of)
    for height, row in enumerate(rows):
        edges = np.cumsum([0, *(weights if height == 0 else [1] * len(row))], dtype=np.float64) * (width / sum(weights))
        edges *= width / edges[-1]
        at[row, 0], at[row, 1] = (edges[:-1] + edges[1:]) / 2, height * ROW_IN
        room[row] = np.diff(edges).min()
        for switch in row:
            rank[switch] = height
    unfolded = directed and len(rows) > 1
    senders = at * (1, -1) + (0, 2 * (len(rows) - 1) * ROW_IN) if unfolded else None
    bars = list(_bars(wiring, at, width / sum(weights), single, senders is not None))
    return Layout(
        switches=at,
        bars=(*bars, *(_mirrored(bar, (len(rows) - 1) * ROW_IN) for bar in bars if senders is not None)),
        room=room,
        bends=_bends(wiring, at, rows, unfolded),
        rows=tuple(_labels(wiring, rows, unfolded)),
        senders=senders,
        rank=tuple(rank),
    )


def ordered_rows(wiring: Wiring) -> list[list[int]]:
    """The switches of each level from the leaves up, and last those without hosts in reach."""
    levels = sorted(set(wiring.level_of), key=lambda level: (level is None, level))
    return _ordered([[i for i, own in enumerate(wiring.level_of) if own == level] for level in levels], wiring.neighbours)


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


def _bars(wiring: Wiring, at: Points, per_host: float, single: bool, receiving: bool) -> Iterator[HostBar]:
    """Below their switches; where others show what hosts send, these show what they receive."""
    for switch, hosts in sorted(wiring.hosts.items()):
        x, y = (float(value) for value in at[switch])
        side: Side = 0 if receiving else 1
        if not single:
            down = (0.0, -bar_length(len(hosts), wiring.most_hosts, _BAR_IN))
            yield HostBar(hosts=tuple(hosts), stem=(x, y), at=(x, y - _TO_BAR_IN), along=down, cells_show=side)
            continue
        for number, host in enumerate(hosts):
            spot = (x + (number - (len(hosts) - 1) / 2) * per_host, y - _TO_HOST_IN)
            name = wiring.name(host[1].node)
            yield HostBar(hosts=(host,), stem=(x, y), at=spot, along=(0.0, -_HOST_IN), cells_show=side, name=name)


def _mirrored(bar: HostBar, height: float) -> HostBar:
    """The same hosts above, as they send."""
    (x, y), (from_x, from_y), (_, down) = bar.at, bar.stem, bar.along
    return HostBar(
        hosts=bar.hosts,
        stem=(from_x, 2 * height - from_y),
        at=(x, 2 * height - y),
        along=(0.0, -down),
        cells_show=1,
        stem_shows=1,
        name=bar.name,
    )


def _bends(wiring: Wiring, at: Points, rows: list[list[int]], unfolded: bool) -> dict[Pair, Point]:
    """Links within a row pass above the switches between their ends; links that skip rows, beside those in the rows between."""
    place = {i: (height, column) for height, row in enumerate(rows) for column, i in enumerate(row)}
    bends: dict[Pair, Point] = {}
    for a, b in wiring.trunks:
        (row_a, column_a), (row_b, column_b) = place[a], place[b]
        one_row = row_a == row_b and not (unfolded and row_a < len(rows) - 1)
        if one_row and abs(column_a - column_b) > 1:
            bends[a, b] = (0.0, min(0.75 * ROW_IN, 0.3 + 0.12 * abs(float(at[a][0] - at[b][0]))))
        elif abs(row_a - row_b) > 1:
            bends[a, b] = (0.35, 0.0)
    return bends


def _labels(wiring: Wiring, rows: list[list[int]], unfolded: bool) -> Iterator[tuple[float, str]]:
    """Unfolded, the upper copies say which way packets go."""
    top = len(rows) - 1
    for height, row in enumerate(rows):
        level = wiring.level_of[row[0]]
        name = "no hosts in reach" if level is None else "leaves" if level == 1 else f"level {level}"
        count = "1 switch" if len(row) == 1 else f"{len(row):,} switches"
        once = not unfolded or height == top
        yield height * ROW_IN, f"{name}\n{count}" if once else f"{name},\non the way down"
        if not once:
            yield (2 * top - height) * ROW_IN, f"{name}\n{count}"
    ends = sorted({len(hosts) for hosts in wiring.hosts.values()})
    if ends:
        each = f"{ends[0]}" if len(ends) == 1 else f"{ends[0]} to {ends[-1]}"
        hosts = len({host.node for links in wiring.hosts.values() for _, host in links})
        middle = _TO_BAR_IN + _BAR_IN / 2
        if unfolded:
            yield 2 * top * ROW_IN + middle, f"{hosts:,} hosts send:\n{each} a leaf"
        yield -middle, "hosts\nreceive" if unfolded else f"{hosts:,} hosts:\n{each} a leaf"
