# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A value over two parameters, as coloured cells that say their value."""

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps

from tuner.goals.series import Series
from tuner.report.plots import style

_MAP = colormaps["cividis"]  # even in lightness, and read alike by the colour-blind


@style.drawing
def heat_map(
    values: Series,
    *,
    rows: Sequence[object],
    columns: Sequence[object],
    row_label: str,
    column_label: str,
    title: str,
    key: str,
    digits: int = 2,
    low: float | None = None,
    high: float | None = None,
    column_in: float = 0.52,
) -> str:
    """SVG. `values` has shape (len(rows), len(columns)); the first row is drawn at the bottom. `low`, `high`: ends of the
    colours, by default those of the values; give them to make figures comparable. `column_in`: width of a column in inches."""
    low = float(values.min()) if low is None else low
    high = max(float(values.max()) if high is None else high, low + 1e-9)
    drawn, axes = style.figure(1.6 + column_in * len(columns), 1.1 + 0.32 * len(rows))
    axes.grid(visible=False)
    shades = np.clip((values - low) / (high - low), 0, 1)
    axes.pcolormesh(shades, cmap=_MAP, vmin=0, vmax=1, edgecolors="#ffffff", linewidth=0.6)
    for y, x in np.ndindex(values.shape):
        ink = "#000000" if shades[y, x] > 0.55 else "#ffffff"
        axes.text(x + 0.5, y + 0.5, f"{values[y, x]:.{digits}f}", ha="center", va="center", fontsize=7.5, color=ink)
    axes.set_xticks(np.arange(len(columns)) + 0.5, [str(column) for column in columns])
    axes.set_yticks(np.arange(len(rows)) + 0.5, [str(row) for row in rows])
    style.label(axes, x=column_label, y=row_label, title=title)
    return style.to_svg(drawn, key=key, description=f"{title} by {row_label} and {column_label}")
