# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A metric over two parameters, cell by cell; empty cells are crossed out.

The colours, cividis in few levels, grow evenly brighter, so that they read the same in grey and to the colour-blind; the numbers
are written in.
"""

from collections.abc import Mapping, Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.colors import BoundaryNorm, Normalize
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from tuner.report.plots import style

LEVELS = 9
# Ratio of the highest to the lowest value from which a logarithmic scale shows more.
_LOG_FROM = 30.0


@style.drawing
def heat_map(
    cells: Mapping[tuple[int, int], tuple[float, int]],
    *,
    x: tuple[str, Sequence[str]],
    y: tuple[str, Sequence[str]],
    title: str,
    unit: str,
    key: str,
) -> str:
    """SVG. `cells`: by column and row the value, and of how many trials it is. `x`, `y`: an axis's name and its cells' labels."""
    drawn, axes = style.figure(5.6, 1.5 + 0.34 * max(len(y[1]), 3))
    colours, norm = mpl.colormaps["cividis"], _norm([value for value, _ in cells.values()])
    for column in range(len(x[1])):
        for row in range(len(y[1])):
            if (column, row) not in cells:
                axes.add_patch(_cell(column, row, facecolor="none", hatch="xxx", edgecolor=f"{style.GREY}70", linewidth=0))
                continue
            value, count = cells[column, row]
            colour = colours(norm(value))
            axes.add_patch(_cell(column, row, facecolor=colour, edgecolor=style.INK, linewidth=0.4))
            dark = sum(part * weight for part, weight in zip(colour, (0.299, 0.587, 0.114), strict=False)) < 0.5
            number = f"{value:.3g}" if abs(value) >= 0.01 else f"{value:.2g}"
            axes.text(
                column, row, f"{number}\n×{count}", ha="center", va="center", fontsize=5.6, linespacing=0.95,
                color="#ffffff" if dark else "#000000",
            )  # fmt: skip
    axes.set_xlim(-0.5, len(x[1]) - 0.5)
    axes.set_ylim(-0.5, len(y[1]) - 0.5)
    wide = max(map(len, x[1])) > 4
    axes.set_xticks(range(len(x[1])), x[1], rotation=35 if wide else 0, ha="right" if wide else "center")
    axes.set_yticks(range(len(y[1])), y[1])
    axes.grid(visible=False)
    scale = drawn.colorbar(mpl.cm.ScalarMappable(norm, colours), ax=axes, pad=0.02, aspect=14, format="%.3g")
    if scale.solids is not None:
        scale.solids.set_rasterized(False)  # an image inside the SVG otherwise
    scale.ax.tick_params(colors=style.INK, labelsize=7.5)
    scale.set_label(unit, color=style.INK)
    scale.outline.set_edgecolor(style.INK)
    style.label(axes, x=x[0], y=y[0], title=title)
    count = sum(count for _, count in cells.values())
    return style.to_svg(drawn, key=key, description=f"{title} by {x[0]} and {y[0]}: medians of {count} trials; crossed out: none")


def _cell(column: int, row: int, **look: object) -> Rectangle:
    return Rectangle((column - 0.5, row - 0.5), 1, 1, **look)  # type: ignore[arg-type]


def _norm(values: Sequence[float]) -> Normalize:
    low, high = min(values), max(values)
    if low > 0 and high / low > _LOG_FROM:
        return BoundaryNorm(np.geomspace(low, high * (1 + 1e-9), LEVELS + 1), mpl.colormaps["cividis"].N)
    if low == high:
        return Normalize(low - 0.5, high + 0.5)
    edges = MaxNLocator(LEVELS, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    return BoundaryNorm(np.asarray(edges), mpl.colormaps["cividis"].N)
