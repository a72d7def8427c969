# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Values over time, a line for each scheme or flow, in panels side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tuner.goals.series import Series
from tuner.report.plots import style


@dataclass(frozen=True, kw_only=True)
class Panel:
    title: str
    t_ms: Series
    """Ends of the samples in ms."""
    curves: Mapping[str, Sequence[float]]
    """Value of each sample, by name. A name has the same look in all panels."""
    shaded_ms: tuple[float, float] | None = None
    """A part of the time that is shaded: the burst."""


@style.drawing
def over_time(panels: Sequence[Panel], *, names: Sequence[str], y_label: str, title: str, key: str) -> str:
    """Returns an SVG. `names`: of all curves, in the order of looks. All panels have one scale. There must be a panel."""
    drawn, every_axes = style.row(max(3.2 * min(len(panels), 3) + 2.4 * max(len(panels) - 3, 0), 4.4), 2.9, len(panels))
    highest = max((max(curve) for panel in panels for curve in panel.curves.values()), default=1.0)
    for axes, panel in zip(every_axes, panels, strict=True):
        if panel.shaded_ms is not None:
            axes.axvspan(*panel.shaded_ms, color=style.GREY, alpha=0.15, linewidth=0)
        for name in names:
            if name in panel.curves:
                place = names.index(name)
                axes.step(
                    [0.0, *panel.t_ms],
                    [panel.curves[name][0], *panel.curves[name]],
                    where="pre",
                    color=style.COLOURS[place % len(style.COLOURS)],
                    linestyle=style.LINES[(place + place // len(style.COLOURS)) % len(style.LINES)],
                    linewidth=1.2,
                    label=name,
                )
        axes.set_ylim(0, 1.06 * highest or 1.0)
        axes.set_xlim(0, float(panel.t_ms[-1]))
        style.label(axes, x="time (ms)", y=y_label if axes is every_axes[0] else "")
        axes.set_title(panel.title, color=style.INK, fontsize=9, loc="left")
    drawn.suptitle(title, color=style.INK, fontsize=10, fontweight="bold", x=0.01, ha="left")
    style.legend(drawn, *every_axes, columns=min(len(names), 5))
    described = "; ".join(panel.title for panel in panels)
    return style.to_svg(drawn, key=key, description=f"{title}: {y_label} over time by {', '.join(names)}, in {described}")
