# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The scale of congestion: steps from idle to the full measure, a colour for each."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, ListedColormap, to_hex

from tuner.documents.fabric import End
from tuner.report.plots import style
from tuner.report.plots.fabric_congestion import Congestion

STEPS = (0.0, 0.02, *(k / 10 for k in range(1, 11)))
"""Ends of the steps, as parts of the whole: a port on the first is drawn as idle."""
IDLE = "#d2d2d2"
# From yellow to dark red, ever darker, so that the colour-blind tell them apart, and print in grey. Paler ones would not be seen.
HEAT: Sequence[str] = (IDLE, *(to_hex(colormaps["YlOrRd"](x)) for x in np.linspace(0.22, 1.0, len(STEPS) - 2)))
"""Colour by step."""


def step(congestion: Congestion, ends: Iterable[End]) -> int:
    """The step of the worst of the ports, from 0, idle."""
    worst = max(congestion.values[end] for end in ends) / congestion.full
    # A value that differs from a tenth by rounding only counts as that tenth.
    return min(bisect_right(STEPS, worst + 1e-9) - 1, len(HEAT) - 1)


def draw_scale(axes: Axes, congestion: Congestion) -> None:
    """The colour bar, into axes of its own."""
    edges = [part * congestion.full for part in STEPS]
    colours = ScalarMappable(BoundaryNorm(edges, len(HEAT)), ListedColormap(list(HEAT)))
    figure = axes.get_figure(root=True)
    assert figure is not None
    ticks = [0.0, *edges[3::2]]
    bar = figure.colorbar(colours, cax=axes, orientation="horizontal", spacing="proportional", ticks=ticks, format="%.3g")
    axes.tick_params(colors=style.INK, labelsize=7.5, length=2, width=0.5)
    axes.minorticks_off()
    for spine in axes.spines.values():
        spine.set_edgecolor(style.INK)
        spine.set_linewidth(0.5)
    bar.set_label(f"{congestion.measure.title} ({congestion.measure.unit})", color=style.INK, fontsize=8, labelpad=2, loc="left")
