# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric's levels and links; with a measurement, how congested each port was and where congestion trees had their roots."""

import textwrap
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, ListedColormap, to_hex
from matplotlib.figure import Figure

from tuner.documents.fabric import End
from tuner.plots import fabric_marks as marks
from tuner.plots import fabric_text, style
from tuner.plots.fabric_congestion import Congestion
from tuner.plots.fabric_layout import HostBar, Layout, Points, place
from tuner.plots.fabric_wiring import Wiring

DPI = 200
"""Of PNGs, and of the picture that stands for the lines of large fabrics."""

# Ends of the steps of the scale, as parts of the whole: below the first, a port is drawn as idle.
STEPS = (0.0, 0.02, *(k / 10 for k in range(1, 11)))
IDLE = "#d2d2d2"
# From yellow to dark red: ever darker, so that it is read in grey too; white lines would not be seen.
HEAT: Sequence[str] = tuple(to_hex(colormaps["YlOrRd"](x)) for x in np.linspace(0.22, 1.0, len(STEPS) - 2))
_SWITCH = "#f4f4f4"
_BETWEEN = 0.035
_MOST_NAMED_ROOTS = 24


@style.drawing
def svg(wiring: Wiring, congestion: Congestion | None = None) -> str:
    """SVG; a file of its own needs style.standalone."""
    return style.to_svg(_figure(wiring, congestion), key="fabric", description=_description(wiring, congestion))


@style.drawing
def png(wiring: Wiring, congestion: Congestion | None = None) -> bytes:
    return style.to_png(_figure(wiring, congestion), dpi=DPI, description=_description(wiring, congestion))


def _description(wiring: Wiring, congestion: Congestion | None) -> str:
    seen = "" if congestion is None else f", coloured by the {congestion.measure.title}"
    return fabric_text.title(wiring) + seen


def _figure(wiring: Wiring, congestion: Congestion | None) -> Figure:
    return _Drawing(wiring, place(wiring), congestion).figure


class _Drawing:
    """One figure in the making. The axes' units are inches."""

    def __init__(self, wiring: Wiring, layout: Layout, congestion: Congestion | None) -> None:
        self._wiring = wiring
        self._layout = layout
        self._trunks = {
            pair: marks.curve(layout.switches[pair[0]], layout.switches[pair[1]], layout.bends.get(pair)) for pair in wiring.trunks
        }
        self._stems = [marks.curve(layout.switches[bar.switch], np.array(bar.at), None) for bar in layout.bars]
        self._picture = 2 * len(self._trunks) + len(self._stems) > marks.MOST_VECTORS
        self.figure, self._axes = self._sheet(list(fabric_text.caption(wiring, congestion)), bool(congestion))
        if congestion is None:
            self._links_by_rate()
            self._bars({0: [cell for bar in layout.bars for cell in _cells(bar)]}, [style.GREY])
        else:
            self._links_by_congestion(congestion)
            self._roots(congestion)
        self._switches()
        self._labels()

    def _sheet(self, sentences: list[str], scale: bool) -> tuple[Figure, Axes]:
        """The figure with its caption, as large as the layout needs."""
        tips = [np.array(bar.at) + np.array(bar.along) for bar in self._layout.bars]
        points = np.concatenate([self._layout.switches, *self._trunks.values(), *(tip[None] for tip in tips)])
        low, high = points.min(axis=0), points.max(axis=0)
        left = 1.15 if self._layout.rows else 0.35
        below = 0.75 if any(bar.name for bar in self._layout.bars) else 0.45
        width = max(high[0] - low[0] + left + 0.35, 6.2)
        left += (width - (high[0] - low[0] + left + 0.35)) / 2
        lines = [line for text in sentences for line in textwrap.wrap(text, int(width * 16.5))]
        foot = 0.165 * len(lines) + (0.78 if scale else 0.4)
        tall = high[1] - low[1] + below + 0.3
        height = tall + foot + 0.35
        drawn, axes = style.figure(width, height)
        drawn.set_dpi(DPI)
        drawn.set_layout_engine("none")
        axes.set_axis_off()
        axes.set_position((0.0, foot / height, 1.0, tall / height))
        axes.set_xlim(low[0] - left, low[0] - left + width)
        axes.set_ylim(low[1] - below, high[1] + 0.3)
        drawn.text(0.15 / width, 1 - 0.24 / height, fabric_text.title(self._wiring), color=style.INK, fontsize=10, fontweight="bold")
        for number, line in enumerate(lines):
            y = (0.165 * (len(lines) - number) - 0.08) / height
            drawn.text(0.15 / width, y, line, color=style.INK, fontsize=7.5, va="center")
        self._foot = (0.165 * len(lines) / height, foot / height, width, height)
        return drawn, axes

    def _links_by_rate(self) -> None:
        """Links of each rate in a colour, trunks of many links broader."""
        rates = fabric_text.rate_names(self._wiring)
        looks: dict[tuple[str, int, bool], list[Points]] = defaultdict(list)
        for pair, trunk in self._wiring.trunks.items():
            rate = self._slowest(rates, (a for a, _ in trunk.links))
            looks[rate, len(trunk.links), True].append(self._trunks[pair])
        for bar, stem in zip(self._layout.bars, self._stems, strict=True):
            looks[self._slowest(rates, (a for a, _ in bar.hosts)), 1, False].append(stem)
        colour = {rate: style.COLOURS[i % len(style.COLOURS)] for i, rate in enumerate(rates)}
        faint = 0.75 if len(self._trunks) < 100 else 0.4 if not self._picture else 0.06
        for (rate, parallel, trunk), lines in looks.items():
            width = min(3.0, 0.8 * parallel**0.5) if trunk else 0.8
            marks.strokes(
                self._axes, lines, gid=f"links-{'trunk' if trunk else 'host'}-{rate}-{parallel}", colour=colour[rate],
                width=width * (0.5 if self._picture else 1.0), alpha=faint if trunk else 0.75, zorder=1, picture=self._picture,
            )  # fmt: skip
        for rate, count in rates.items():
            self._axes.plot([], [], color=colour[rate], linewidth=1.6, label=f"{rate}: {count:,} links")
        self._legend()

    def _slowest(self, rates: Iterable[str], ends: Iterable[End]) -> str:
        """Of parallel links the rarest rate, which is the one to be seen."""
        found = {self._wiring.rate_of[end] for end in ends}
        return [rate for rate in rates if rate in found][-1]

    def _links_by_congestion(self, congestion: Congestion) -> None:
        lines: dict[int, list[Points]] = defaultdict(list)
        for pair, trunk in self._wiring.trunks.items():
            for side, half in enumerate(marks.halves(self._trunks[pair])):
                lines[_step(congestion, (ends[side] for ends in trunk.links))].append(half)
        for bar, stem in zip(self._layout.bars, self._stems, strict=True):
            lines[_step(congestion, (switch for switch, _ in bar.hosts))].append(stem)
        thin = float(np.clip(self._layout.spacing / 0.25, 0.3, 1.0))
        for step, found in sorted(lines.items()):
            part = step / len(HEAT)
            marks.strokes(
                self._axes, found, gid=f"links-{step}", colour=HEAT[step - 1] if step else IDLE, picture=self._picture,
                width=thin * (0.9 + 2.2 * part) if step else 0.5 * thin, alpha=1.0 if step else 0.1 if self._picture else 0.6,
                zorder=1 + part,
            )  # fmt: skip
        cells: dict[int, list[Points]] = defaultdict(list)
        for bar in self._layout.bars:
            steps = sorted((_step(congestion, [host]) for _, host in bar.hosts), reverse=True)
            for step, cell in zip(steps, _cells(bar), strict=True):
                cells[step].append(cell)
        self._bars(cells, [IDLE, *HEAT])
        self._scale(congestion)

    def _bars(self, cells: dict[int, list[Points]], colours: Sequence[str]) -> None:
        width = min(8.0, 72 * 0.62 * self._layout.spacing)
        for step, found in sorted(cells.items()):
            marks.strokes(
                self._axes, found, gid=f"hosts-{step}", colour=colours[step], width=width, alpha=1.0, zorder=3,
                picture=sum(map(len, cells.values())) > marks.MOST_VECTORS,
            )  # fmt: skip

    def _roots(self, congestion: Congestion) -> None:
        """Rings around ports that marked packets; diamonds at those that are told by how they sent."""
        ports = congestion.roots.ports
        spots = self._spots()
        shown = [end for end in ports if end in spots]
        if not shown:
            return
        most = max(ports.values())
        sizes = [110 * ports[end] / most if congestion.roots.marked else 45 for end in shown]
        at = np.array([spots[end] for end in shown])
        self._axes.scatter(
            *at.T, s=sizes, marker="o" if congestion.roots.marked else "D", facecolors="none", edgecolors=style.BLUE,
            linewidths=1.5, zorder=8, gid="roots",
            label="marked packets (FECN): area by number" if congestion.roots.marked else "root of a congestion tree",
        )  # fmt: skip
        self._legend()
        last: dict[float, float] = {}
        for bar in sorted(self._layout.bars, key=lambda bar: bar.at):
            named = [host.node for switch, host in bar.hosts if switch in list(ports)[:_MOST_NAMED_ROOTS]]
            if named and not bar.name:
                names = "\n".join(self._wiring.document.nodes[node].name for node in named)
                x, y = np.array(bar.at) + np.array(bar.along) * (1 + 0.1 / max(0.05, float(np.hypot(*bar.along))))
                room = 0.06 * max(map(len, names.split("\n"))) + 0.04
                drop = 0.12 if self._layout.rows and x - last.get(y, -99.0) < room else 0.0
                if not drop:
                    last[y] = x
                marks.text(self._axes, (x, y - drop), names, size=7, color=style.BLUE, fontweight="bold")

    def _spots(self) -> dict[End, Points]:
        """By port of a switch, a place on its link, near the switch."""
        spots: dict[End, Points] = {}
        for pair, trunk in self._wiring.trunks.items():
            for side, half in enumerate(marks.halves(self._trunks[pair])):
                step = half[1] - half[0]
                near = half[0] + step * min(0.6, 0.22 / max(1e-9, float(np.hypot(*step))))
                spots |= {ends[side]: near for ends in trunk.links}
        for bar, stem in zip(self._layout.bars, self._stems, strict=True):
            spots |= {switch: stem[0] * 0.35 + stem[-1] * 0.65 for switch, _ in bar.hosts}
        return spots

    def _switches(self) -> None:
        at, spacing = self._layout.switches, self._layout.spacing
        names = [switch.name for switch in self._wiring.document.switches]
        size = marks.fitting_size(names, min(spacing * 0.94, 1.2))
        wide = tall = float(np.clip(0.6 * spacing, 0.02, 0.16))
        if size is not None:
            wide, tall = 0.6 * size / 72 * max(map(len, names)) + 0.05, size / 72 + 0.07
            for name, spot in zip(names, at, strict=True):
                marks.text(self._axes, spot, name, size=size)
        marks.boxes(self._axes, at, gid="switches", width_in=wide, height_in=tall, colour=_SWITCH, zorder=5)

    def _labels(self) -> None:
        left, _ = self._axes.get_xlim()
        for height, label in self._layout.rows:
            marks.text(self._axes, (left + 0.15, height), label, size=8, ha="left")
        counts = {len(bar.hosts) for bar in self._layout.bars}
        room = marks.fitting_size(map(str, counts), self._layout.spacing)
        for bar in self._layout.bars:
            tip = np.array(bar.at) + np.array(bar.along)
            if bar.name:
                upright = len(bar.name) > 4
                marks.text(self._axes, tip - (0, 0.06), bar.name, size=7, va="top", rotation=90 if upright else 0)
            elif room is not None and (len(counts) > 1 or not self._layout.rows):
                beyond = np.array(bar.along) / max(1e-9, float(np.hypot(*bar.along))) * 0.09
                marks.text(self._axes, tip + beyond, str(len(bar.hosts)), size=6.5)

    def _legend(self) -> None:
        bottom, top, width, height = self._foot
        handles, names = self._axes.get_legend_handles_labels()
        self.figure.legend(
            handles, names, loc="center right", bbox_to_anchor=(1 - 0.15 / width, (bottom + top) / 2 + 0.05 / height), frameon=False,
            ncols=4, labelcolor=style.INK, fontsize=8, handletextpad=0.5,
        )  # fmt: skip

    def _scale(self, congestion: Congestion) -> None:
        bottom, _, width, height = self._foot
        box = self.figure.add_axes((0.2 / width, bottom + 0.42 / height, min(4.2, 0.55 * width) / width, 0.11 / height))
        edges = [step * congestion.full for step in STEPS]
        colours = ScalarMappable(BoundaryNorm(edges, len(edges) - 1), ListedColormap([IDLE, *HEAT]))
        bar = self.figure.colorbar(
            colours, cax=box, orientation="horizontal", spacing="proportional", ticks=[0, *edges[3::2]], format="%.3g", drawedges=False
        )
        bar.outline.set_edgecolor(style.INK)  # type: ignore[operator]
        bar.outline.set_linewidth(0.5)  # type: ignore[operator]
        bar.ax.tick_params(colors=style.INK, labelsize=7.5, length=2, width=0.5)
        bar.set_label(f"{congestion.measure.title} ({congestion.measure.unit})", color=style.INK, fontsize=8, labelpad=2)


def _step(congestion: Congestion, ends: Iterable[End]) -> int:
    """The step of the scale that the worst of the ports is on, from 0, idle."""
    worst = max((congestion.values[end] for end in ends), default=0.0) / congestion.full
    return int(np.clip(np.searchsorted(STEPS, worst, side="right") - 1, 0, len(HEAT)))


def _cells(bar: HostBar) -> list[Points]:
    """A line for each host."""
    along = np.array(bar.along) / len(bar.hosts)
    gap = _BETWEEN if len(bar.hosts) > 1 else 0.0
    begins = np.array(bar.at) + along * np.arange(len(bar.hosts))[:, None]
    return [np.array([begin, begin + along * (1 - gap)]) for begin in begins]
