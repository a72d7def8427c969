# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Curves over a parameter, side by side: the mean of the seeds, and a band from the lowest to the highest of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tuner.report.plots import style


@dataclass(frozen=True, kw_only=True)
class Panel:
    y_label: str
    curves: Mapping[str, Mapping[int, Sequence[float]]]
    """The values of all seeds by parameter, in whole units, for each curve name. A name has the same look in all panels."""
    points: Mapping[str, Mapping[int, float]] = field(default_factory=dict)
    """Published values, by the name of the curve that they belong to."""
    level: float | None = None
    """A line across: 1 for a gain, where nothing changes."""


@style.drawing
def bands(panels: Sequence[Panel], *, x_label: str, title: str, key: str) -> str:
    """SVG. There must be a panel."""
    drawn, every_axes = style.row(2.9 * len(panels), 3.0, len(panels))
    names = list(dict.fromkeys(name for panel in panels for name in panel.curves))
    for axes, panel in zip(every_axes, panels, strict=True):
        if panel.level is not None:
            axes.axhline(panel.level, color=style.GREY, linewidth=0.8)
        for name, values in panel.curves.items():
            look = names.index(name) % len(style.COLOURS)
            colour, x = style.COLOURS[look], list(values)
            low, mean, high = (np.array([of(values[at]) for at in x]) for of in (min, np.mean, max))
            axes.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
            axes.plot(x, mean, color=colour, linestyle=style.LINES[look], marker="o", markersize=2.5, linewidth=1.3, label=name)
            if name in panel.points:
                known = panel.points[name]
                axes.plot(list(known), list(known.values()), "x", color=colour, markersize=7, label=f"{name}, published")
        axes.set_ylim(0, 1.06 * axes.get_ylim()[1])
        style.label(axes, x=x_label, y=panel.y_label)
    every_axes[0].set_title(title, color=style.INK, fontsize=10, loc="left", fontweight="bold")
    style.legend(drawn, *every_axes, columns=4)
    return style.to_svg(drawn, key=key, description=f"{title}: {', '.join(panel.y_label for panel in panels)} by {x_label}")
