# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Matrices of loop-back tests, a panel a host: adapters by endpoints, with bandwidth and latency; slow cells are framed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from tuner.report.plots import style

COLUMNS = 4
_FULL, _NONE = 1.2, 0.0
"""Shares of the baseline at the ends of the colour scale."""


@dataclass(frozen=True, kw_only=True)
class MatrixCell:
    text: str
    share: float | None
    """Of the baseline's bandwidth; None: no baseline is known."""
    is_slow: bool


@dataclass(frozen=True, kw_only=True)
class MatrixPanel:
    title: str
    adapters: Sequence[str]
    endpoints: Sequence[str]
    cells: Mapping[tuple[str, str], MatrixCell]
    """By adapter and endpoint. Places that it lacks are crossed out."""


@style.drawing
def svg(panels: Sequence[MatrixPanel]) -> str:
    """REQUIRES: at least one panel."""
    return style.to_svg(_figure(panels), key="host-matrix", description=_description(panels))


@style.drawing
def png(panels: Sequence[MatrixPanel]) -> bytes:
    """REQUIRES: at least one panel."""
    return style.to_png(_figure(panels), dpi=150, description=_description(panels))


def _description(panels: Sequence[MatrixPanel]) -> str:
    slow = [panel.title for panel in panels if any(cell.is_slow for cell in panel.cells.values())]
    what = f"Loop-back tests of {len(panels)} hosts, bandwidth and latency by adapter and endpoint"
    return f"{what}; slow: {', '.join(slow) or 'none'}"


def _figure(panels: Sequence[MatrixPanel]) -> Figure:
    columns = min(COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    wide = max(len(panel.endpoints) for panel in panels)
    high = max(len(panel.adapters) for panel in panels)
    drawn = Figure(figsize=(columns * (1.2 + 0.75 * wide), rows * (0.9 + 0.42 * high)), layout="constrained")
    drawn.patch.set_alpha(0)
    for place, panel in enumerate(panels):
        _draw(drawn.add_subplot(rows, columns, 1 + place), panel)
    return drawn


def _draw(axes: Axes, panel: MatrixPanel) -> None:
    colours = mpl.colormaps["cividis"]
    axes.patch.set_alpha(0)
    for row, adapter in enumerate(panel.adapters):
        for column, endpoint in enumerate(panel.endpoints):
            cell = panel.cells.get((adapter, endpoint))
            if cell is None:
                axes.add_patch(_box(column, row, facecolor="none", hatch="xxx", edgecolor=f"{style.GREY}70", linewidth=0))
                continue
            colour = "none" if cell.share is None else colours(min(1.0, max(0.0, (cell.share - _NONE) / (_FULL - _NONE))))
            frame = {"edgecolor": "#c00000", "linewidth": 2.0} if cell.is_slow else {"edgecolor": style.INK, "linewidth": 0.4}
            axes.add_patch(_box(column, row, facecolor=colour, **frame))
            is_dark = cell.share is not None and cell.share < 0.6
            ink = style.INK if cell.share is None else "#ffffff" if is_dark else "#000000"
            axes.text(column, row, cell.text, ha="center", va="center", fontsize=6, color=ink)
    axes.set_xlim(-0.5, len(panel.endpoints) - 0.5)
    axes.set_ylim(len(panel.adapters) - 0.5, -0.5)
    axes.set_xticks(range(len(panel.endpoints)), panel.endpoints, fontsize=6, color=style.INK)
    axes.set_yticks(range(len(panel.adapters)), panel.adapters, fontsize=6, color=style.INK)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title(panel.title, fontsize=7.5, loc="left", color=style.INK)


def _box(column: int, row: int, **look: object) -> Rectangle:
    return Rectangle((column - 0.48, row - 0.46), 0.96, 0.92, **look)  # type: ignore[arg-type]
