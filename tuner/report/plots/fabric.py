# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric's levels and links; with a measurement, how congested each port was and where congestion trees had their roots."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.text import Text

from tuner.documents.fabric import End
from tuner.report.plots import fabric_marks as marks
from tuner.report.plots import fabric_text, style
from tuner.report.plots.fabric_congestion import Congestion
from tuner.report.plots.fabric_geometry import HostBar, Points
from tuner.report.plots.fabric_heat import HEAT, IDLE, draw_scale, step
from tuner.report.plots.fabric_layout import place
from tuner.report.plots.fabric_sheet import Sheet
from tuner.report.plots.fabric_wiring import Ends, Wiring

DPI = 160
"""Resolution of PNGs, and of the picture that stands for the lines of large fabrics."""

_SWITCH = "#f4f4f4"
# Part of the packets that the port with the most marked, below which a port is not ringed: it had a short part in a congestion
# tree.
FEW_MARKS = 0.1
_MOST_NAMED = 16
_NAME = 7.0
"""Font size of hosts' names, in points."""


@style.drawing
def svg(wiring: Wiring, congestion: Congestion | None = None, *, key: str = "fabric") -> str:
    """SVG; a file of its own needs style.standalone. `key` sets its ids apart from those of others in one page."""
    return style.to_svg(_figure(wiring, congestion), key=key, description=_description(wiring, congestion))


@style.drawing
def png(wiring: Wiring, congestion: Congestion | None = None) -> bytes:
    return style.to_png(_figure(wiring, congestion), dpi=DPI, description=_description(wiring, congestion))


def _description(wiring: Wiring, congestion: Congestion | None) -> str:
    seen = "" if congestion is None else f", colored by the {congestion.measure.title}"
    return fabric_text.title(wiring) + seen


def _figure(wiring: Wiring, congestion: Congestion | None) -> Figure:
    drawing = _Plain(wiring, None) if congestion is None else _Congested(wiring, congestion)
    return drawing.sheet.figure


class _Drawing:
    """One figure in the making."""

    def __init__(self, wiring: Wiring, congestion: Congestion | None) -> None:
        self._wiring = wiring
        self._layout = place(wiring, directed=congestion is not None)
        layout = self._layout
        self._lines = {(a, b): self._line(a, b) for pair in wiring.trunks for a, b in (pair, pair[::-1])}
        self._picture = len(self._lines) > marks.MOST_VECTORS
        counts = {len(bar.hosts) for bar in layout.bars}
        # If all bars stand for the same number of hosts, the caption or a row's label has that number.
        self._counted = len(counts) > 1 and marks.fitting_size(map(str, counts), float(layout.room.min())) is not None
        points = np.concatenate([layout.switches, *self._lines.values(), *(_room(bar)[None] for bar in layout.bars)])
        self.sheet = Sheet(
            points,
            title=fabric_text.title(wiring),
            caption=list(
                fabric_text.caption(
                    wiring, congestion, unfolded=layout.senders is not None, singly=all(bar.name for bar in layout.bars)
                )
            ),
            left=1.25 if layout.rows else 0.4,
            scale=congestion is not None,
        )
        self.sheet.figure.set_dpi(DPI)
        self._axes = self.sheet.axes
        self._names: dict[End, Text] = {}
        """Names of hosts that are drawn singly, by the port whose color their line has."""
        self._switches()
        self._labels()

    def _line(self, a: int, b: int) -> Points:
        return marks.curve(*self._layout.ends(a, b), self._layout.bends.get((min(a, b), max(a, b))))

    def _cells(self, cells: Mapping[int, list[Points]], colours: Sequence[str]) -> None:
        """Bars of hosts, a cell for each, by step."""
        width = min(8.0, 72 * 0.6 * float(self._layout.room.min()))
        many = sum(map(len, cells.values())) > marks.MOST_VECTORS
        for number, found in sorted(cells.items()):
            marks.strokes(
                self._axes, found, gid=f"hosts-{number}", colour=colours[number], width=width, alpha=1.0, zorder=3, picture=many
            )

    def _switches(self) -> None:
        """Boxes with names where all names of a row fit, and without elsewhere."""
        layout = self._layout
        names = [self._wiring.name(i) for i in range(len(layout.switches))]
        for room in sorted(set(layout.room)):
            these = np.flatnonzero(layout.room == room)
            places = [layout.switches[these]]
            if layout.senders is not None:
                twice = [i for i in these if not np.array_equal(layout.senders[i], layout.switches[i])]
                places.append(layout.senders[twice])
                these = np.concatenate([these, np.array(twice, dtype=these.dtype)])
            at = np.concatenate(places)
            shown = [names[i] for i in these]
            size = marks.fitting_size(shown, min(room * 0.94, 1.2))
            wide = tall = float(np.clip(0.6 * room, 0.02, 0.16))
            if size is not None:
                wide, tall = 0.62 * size / 72 * max(map(len, shown)) + 0.06, size / 72 + 0.07
                for name, spot in zip(shown, at, strict=True):
                    marks.text(self._axes, spot, name, size=size)
            marks.boxes(self._axes, at, gid="switches", width_in=wide, height_in=tall, colour=_SWITCH, zorder=5)

    def _labels(self) -> None:
        for height, label in self._layout.rows:
            marks.text(self._axes, (self.sheet.left, height), label, size=8, ha="left")
        for bar in self._layout.bars:
            if bar.name:
                under, upright = "bottom" if bar.along[1] > 0 else "top", 90 if _is_upright(bar) else 0
                name = marks.text(self._axes, bar.beyond(0.05), bar.name, size=_NAME, va=under, rotation=upright)
                self._names[bar.hosts[0][bar.stem_shows]] = name
            elif self._counted:
                marks.text(self._axes, bar.beyond(0.09), str(len(bar.hosts)), size=6.5)


class _Plain(_Drawing):
    """Links of each rate in a colour, trunks of many links broader."""

    def __init__(self, wiring: Wiring, congestion: None) -> None:
        super().__init__(wiring, congestion)
        rates = fabric_text.rates(wiring)
        colour = {rate: style.COLOURS[i % len(style.COLOURS)] for i, rate in enumerate(rates)}
        looks: dict[tuple[str, int], list[Points]] = defaultdict(list)
        for pair, trunk in wiring.trunks.items():
            looks[self._rarest(rates, trunk.links), len(trunk.links)].append(self._lines[pair])
        faint = 0.75 if len(self._lines) < 200 else 0.35 if not self._picture else 0.07
        for (rate, parallel), lines in looks.items():
            marks.strokes(
                self._axes, lines, gid=f"trunks-{rate}-{parallel}", colour=colour[rate],
                width=min(3.0, 0.8 * parallel**0.5) * (0.5 if self._picture else 1.0), alpha=faint, zorder=1,
                picture=self._picture,
            )  # fmt: skip
        stems: dict[str, list[Points]] = defaultdict(list)
        for bar in self._layout.bars:
            stems[self._rarest(rates, bar.hosts)].append(np.array([bar.stem, bar.at]))
        for rate, lines in stems.items():
            marks.strokes(
                self._axes,
                lines,
                gid=f"stems-{rate}",
                colour=colour[rate],
                width=0.8,
                alpha=0.75,
                zorder=1,
                picture=self._picture,
            )
        for rate, count in rates.items():
            self._axes.plot([], [], color=colour[rate], linewidth=1.6, label=f"{rate}: {fabric_text.counted(count, 'link')}")
        self._cells({0: [cell for bar in self._layout.bars for cell in _cells(bar)]}, [style.GREY])
        self.sheet.legend(beside_scale=False)

    def _rarest(self, rates: Mapping[str, int], links: Iterable[Ends]) -> str:
        """The rate of links that are drawn as one, or of theirs the one that few links have: it is the one to be seen."""
        return min({self._wiring.rate_of[a] for a, _ in links}, key=lambda rate: rates[rate])


class _Congested(_Drawing):
    """Each direction of each link in the colour of the port that sends, the worst on top."""

    def __init__(self, wiring: Wiring, congestion: Congestion) -> None:
        super().__init__(wiring, congestion)
        self._congestion = congestion
        self._folded = self._layout.senders is None
        self._links()
        self._hosts()
        self._roots()
        draw_scale(self.sheet.scale_axes(), congestion)
        self.sheet.legend(beside_scale=True)

    def _links(self) -> None:
        found: dict[int, list[Points]] = defaultdict(list)
        for (a, b), trunk in self._wiring.trunks.items():
            for side, way in enumerate(((a, b), (b, a))):
                number = step(self._congestion, (ends[side] for ends in trunk.links))
                if number or not self._folded:
                    found[number].append(self._aside(way))
            if self._folded:
                found[0].append(self._lines[a, b])
        for bar in self._layout.bars:
            number = step(self._congestion, (ends[bar.stem_shows] for ends in bar.hosts))
            found[number].append(np.array([bar.stem, bar.at]))
        for number, lines in sorted(found.items()):
            part = number / (len(HEAT) - 1)
            thin = float(np.clip((60 / len(lines)) ** 0.5, 0.15, 1.0))
            marks.strokes(
                self._axes, lines, gid=f"links-{number}", colour=HEAT[number], picture=self._picture,
                width=thin * (0.7 + 1.6 * part) if number else 0.35, alpha=1.0 if number else 0.1 if self._picture else 0.6,
                zorder=1 + part,
            )  # fmt: skip
            if number and self._folded and not self._picture:
                ways = [line for line in lines if len(line) > 2]
                marks.arrows(self._axes, ways, colour=HEAT[number], size_in=0.055 + 0.035 * part, zorder=2 + part)

    def _aside(self, way: tuple[int, int]) -> Points:
        """The line of one direction: where both directions have one place, each keeps to the right."""
        line = self._lines[way]
        return marks.beside(line, 0.022) if self._folded else line

    def _hosts(self) -> None:
        """The most congested of a bar's hosts next to the switch."""
        cells: dict[int, list[Points]] = defaultdict(list)
        for bar in self._layout.bars:
            numbers = sorted((step(self._congestion, [ends[bar.cells_show]]) for ends in bar.hosts), reverse=True)
            for number, cell in zip(numbers, _cells(bar), strict=True):
                cells[number].append(cell)
        self._cells(cells, [IDLE, *HEAT[1:]])

    def _roots(self) -> None:
        """Rings around ports that marked packets; diamonds at those that are told by how they sent."""
        roots = self._congestion.roots
        if not roots.ports:
            return
        most = max(roots.ports.values())
        spots = self._spots()
        shown = [end for end, marked in roots.ports.items() if marked >= FEW_MARKS * most and end in spots]
        at = np.array([spots[end] for end in shown])
        large = float(np.clip(self._layout.room.min() / 0.25, 0.35, 1.0))
        self._axes.scatter(
            at[:, 0], at[:, 1], s=[large * (110 * roots.ports[end] / most if roots.marked else 45) for end in shown],
            marker="o" if roots.marked else "D", facecolors="none", edgecolors=style.BLUE, linewidths=1.5 * large**0.5, zorder=8,
            gid="roots", label="marked packets (FECN);\narea by their number" if roots.marked else "root of a\ncongestion tree",
        )  # fmt: skip
        self._name_hosts(set(shown[:_MOST_NAMED]))

    def _name_hosts(self, ends: set[End]) -> None:
        """Names of the hosts that the ports lead to, beyond their bars; neighbours' names on two heights."""
        last, low = -99.0, False
        for bar in sorted(self._layout.bars, key=lambda bar: bar.at):
            names = [self._wiring.name(host.node) for switch, host in bar.hosts if switch in ends]
            if not names or bar.stem_shows == 1:
                continue
            if bar.name:
                self._names[bar.hosts[0][0]].set(color=style.BLUE, fontweight="bold")
                continue
            spot = bar.beyond(0.24 if self._counted else 0.12)
            low = bool(self._layout.rows) and float(spot[0]) - last < 0.062 * len(names[0]) + 0.06 and not low
            last = float(spot[0])
            under = "top" if len(names) > 1 else "center"
            words = "\n".join(names)
            marks.text(self._axes, spot - (0, 0.12 * low), words, size=7, color=style.BLUE, fontweight="bold", va=under)

    def _spots(self) -> dict[End, Points]:
        """Returns for each port of a switch a place on its link, near the switch."""
        spots: dict[End, Points] = {}
        for (a, b), trunk in self._wiring.trunks.items():
            for side, way in enumerate(((a, b), (b, a))):
                line = self._aside(way)
                ahead = line[1] - line[0]
                near = line[0] + ahead * min(0.6, 0.24 / max(1e-9, float(np.hypot(*ahead))))
                spots |= {ends[side]: near for ends in trunk.links}
        for bar in self._layout.bars:
            if bar.stem_shows == 0:
                near = 0.65 if float(np.hypot(*np.subtract(bar.at, bar.stem))) > 0.35 else 1.0  # clear of the switch's box
                spots |= {switch: (1 - near) * np.array(bar.stem) + near * np.array(bar.at) for switch, _ in bar.hosts}
        return spots


def _is_upright(bar: HostBar) -> bool:
    return len(bar.name) > 4


def _room(bar: HostBar) -> Points:
    """A place that nothing below or above the layout may come nearer than."""
    return bar.beyond(0.05 + marks.LETTER * _NAME / 72 * len(bar.name) if _is_upright(bar) else 0.15)


def _cells(bar: HostBar) -> list[Points]:
    """A line for each host; a gap between those that are large enough to show one."""
    along = np.array(bar.along) / len(bar.hosts)
    filled = 0.9 if float(np.hypot(*along)) > 0.08 and len(bar.hosts) > 1 else 1.0
    begins = np.array(bar.at) + along * np.arange(len(bar.hosts))[:, None]
    return [np.array([begin, begin + along * filled]) for begin in begins]
