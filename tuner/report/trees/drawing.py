# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Shapes of a fabric's drawing in the page: what is always seen, and what gets its look from a port or a host at a moment."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from tuner.documents.fabric import End
from tuner.documents.printable import shortened
from tuner.report.plots import fabric_marks as marks
from tuner.report.plots.fabric_geometry import HostBar, Point, Points
from tuner.report.plots.fabric_layout import place
from tuner.report.plots.fabric_wiring import Wiring

UNITS_PER_INCH = 100
LONGEST_NAME = 24
"""Maximum number of characters of a switch's name; tooltips have all of it."""
LONGEST_HOST_NAME = 9
"""Likewise of a host's."""
UPRIGHT_FROM = 4
"""Maximum number of characters of a host's name that is written level; longer ones turn upright."""

Kind: TypeAlias = Literal["link", "cell", "received", "sender"]
"""`link`: a line that is as broad as the queue of its worst port is long; `cell`: the port to one host of a bar; `received`: what
a host receives; `sender`: how long a host's port waits."""


@dataclass(frozen=True)
class Shape:
    """A line with the looks of its ports."""

    kind: Kind
    path: str
    """SVG path data."""
    width: float
    """Width in units; 0 where the look decides."""
    ends: tuple[End, ...]
    """Ports of switches, or the port of a host for `received` and `sender`."""


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """Positions in units, x to the right and y down."""

    box: tuple[float, float, float, float]
    """Left, top, width and height."""
    links: str
    """Path of all links."""
    bars: str
    """Path of the bars of all hosts, which are seen where a host does nothing."""
    bar_width: float
    n_lines: int
    """Number of lines between switches."""
    switches: str
    """Path of the boxes of all switches."""
    texts: tuple[tuple[float, float, str, float, str, int], ...]
    """x, y, text, size, anchor and rotation in degrees."""
    shapes: tuple[Shape, ...] = field(repr=False)
    unfolded: bool
    """Whether hosts that send are at the top, and hosts that receive at the bottom."""


def draw(wiring: Wiring) -> Drawing:
    """Lays out a fabric with the two directions of each link apart."""
    return _Drawer(wiring).drawing()


class _Drawer:
    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring
        self._layout = place(wiring, directed=True)
        self._folded = self._layout.senders is None
        room = float(self._layout.room.min()) if len(self._layout.room) else 1.0
        self._cell_in = min(0.11, 0.6 * room)
        """Width of a host's cell; in a bar of many, of its two halves together."""

    def drawing(self) -> Drawing:
        layout = self._layout
        lines = [self._line(a, b) for a, b in self._wiring.trunks]
        if not self._folded:
            lines += [self._line(b, a) for a, b in self._wiring.trunks]
        lines += [np.array([bar.stem, bar.at]) for bar in layout.bars]
        boxes, names = self._switches()
        texts = [*names, *self._labels()]
        points = np.concatenate([*lines, *boxes, *(bar.beyond(self._beyond(bar))[None] for bar in layout.bars)])
        (left, bottom), (right, top) = points.min(axis=0) - 0.1, points.max(axis=0) + 0.1
        large = float(np.clip((right - left) / 6, 1.0, 1.6))  # a broad drawing is shown smaller
        left -= 1.3 * large if layout.rows else 0.0
        texts += [
            (left, height + (0.09 - 0.17 * line) * large, words, 12.5 * large, "start", 0)
            for height, label in layout.rows
            for line, words in enumerate(label.split("\n"))
        ]
        return Drawing(
            box=(_unit(left), _unit(-top), _unit(right - left), _unit(top - bottom)),
            links="".join(map(_path, lines)),
            bars="".join(_path(np.array([bar.at, bar.tip])) for bar in layout.bars),
            bar_width=_unit(self._cell_in),
            n_lines=2 * len(self._wiring.trunks),
            switches="".join(f"{_path(box)}z" for box in boxes),
            texts=tuple((_unit(x), _unit(-y), words, size, anchor, turn) for x, y, words, size, anchor, turn in texts),
            shapes=tuple(self._shapes()),
            unfolded=not self._folded,
        )

    def _line(self, a: int, b: int) -> Points:
        return marks.curve(*self._layout.ends(a, b), self._layout.bends.get((min(a, b), max(a, b))))

    def _beyond(self, bar: HostBar) -> float:
        """Inches that the bar's name takes beyond its tip."""
        name = self._host_name(bar)
        return 0.05 if not name else 0.2 if len(name) <= UPRIGHT_FROM else 0.1 + 0.08 * len(name)

    def _host_name(self, bar: HostBar) -> str:
        """Name of the only host of a bar, where there is room for names."""
        return shortened(self._wiring.document.nodes[bar.hosts[0][1].node].name, LONGEST_HOST_NAME) if bar.name else ""

    def _shapes(self) -> Iterator[Shape]:
        for (a, b), trunk in self._wiring.trunks.items():
            for side, way in enumerate(((a, b), (b, a))):
                line = self._line(*way)
                line = marks.beside(line, 0.025) if self._folded else line
                yield Shape("link", _path(line), 0, tuple(ends[side] for ends in trunk.links))
        for bar in self._layout.bars:
            yield from self._of_bar(bar)

    def _of_bar(self, bar: HostBar) -> Iterator[Shape]:
        if bar.stem_shows == 1:
            for (_, host), cell in zip(bar.hosts, _cells(bar), strict=True):
                yield Shape("sender", _path(cell), _unit(self._cell_in), (host,))
            return
        yield Shape("link", _path(np.array([bar.stem, bar.at])), 0, tuple(switch for switch, _ in bar.hosts))
        for (switch, host), cell in zip(bar.hosts, _cells(bar), strict=True):
            if len(bar.hosts) == 1:
                yield Shape("received", _path(cell), _unit(self._cell_in), (host,))
                continue
            half = self._cell_in / 2
            yield Shape("cell", _path(marks.beside(cell, half / 2)), _unit(half), (switch,))
            yield Shape("received", _path(marks.beside(cell, -half / 2)), _unit(half), (host,))

    def _switches(self) -> tuple[list[Points], list[tuple[float, float, str, float, str, int]]]:
        """Corners of each box, and names where all names of a row fit."""
        layout, boxes, texts = self._layout, [], []
        for room in sorted(set(layout.room)):
            these = [int(i) for i in np.flatnonzero(layout.room == room)]
            names = [shortened(self._wiring.document.nodes[i].name, LONGEST_NAME) for i in these]
            size = marks.fitting_size(names, min(float(room) * 0.8, 1.6))
            wide = tall = float(np.clip(0.6 * room, 0.02, 0.16))
            if size is not None:
                wide, tall = 0.62 * size / 72 * max(map(len, names)) + 0.1, size / 72 + 0.09
            for i, name in zip(these, names, strict=True):
                for spot in self._spots(i):
                    boxes.append(np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (wide / 2, tall / 2) + spot)
                    if size is not None:
                        texts.append((spot[0], spot[1] - size / 72 * 0.36, name, size * UNITS_PER_INCH / 72, "middle", 0))
        return boxes, texts

    def _spots(self, switch: int) -> list[Point]:
        places = [self._layout.switches, *([] if self._layout.senders is None else [self._layout.senders])]
        return list(dict.fromkeys((float(at[switch][0]), float(at[switch][1])) for at in places))

    def _labels(self) -> Iterator[tuple[float, float, str, float, str, int]]:
        for bar in self._layout.bars:
            if name := self._host_name(bar):
                x, y = bar.beyond(0.06)
                down = bar.along[1] < 0
                if len(name) <= UPRIGHT_FROM:
                    yield x, y - (0.1 if down else 0.0), name, 11, "middle", 0
                else:
                    yield x + 0.04, y, name, 11, "end" if down else "start", -90


def _cells(bar: HostBar) -> list[Points]:
    """A line for each host; a gap between those that are large enough to show one."""
    along = np.array(bar.along) / len(bar.hosts)
    filled = 0.9 if float(np.hypot(*along)) > 0.08 and len(bar.hosts) > 1 else 1.0
    begins = np.array(bar.at) + along * np.arange(len(bar.hosts))[:, None]
    return [np.array([begin, begin + along * filled]) for begin in begins]


def _unit(inches: float) -> float:
    return round(float(inches) * UNITS_PER_INCH, 1)


def _path(points: Points) -> str:
    """Path data; a straight line keeps its ends only."""
    if len(points) == 3 and np.allclose(points[0] + points[2], 2 * points[1]):
        points = points[[0, 2]]
    return "M" + "L".join(f"{_unit(x):g},{_unit(-y):g}" for x, y in points.tolist())


def indexed(shapes: Iterable[Shape], ports: Mapping[End, int], hosts: Mapping[End, int]) -> list[list[Any]]:
    """Returns [kind, path, width, positions] of the shapes that show a port in `ports` or a host in `hosts`."""
    found = []
    for shape in shapes:
        known: Sequence[int] = [
            where[end]
            for where in (hosts if shape.kind in ("received", "sender") else ports,)
            for end in shape.ends
            if end in where
        ]
        if known:
            found.append([shape.kind, shape.path, shape.width, list(known)])
    return found
