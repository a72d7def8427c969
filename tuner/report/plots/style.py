# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One look for all figures, and their way into SVG.

Colours are Okabe and Ito's, which stay apart for the colour-blind; line styles and markers repeat them for print in grey.
Text and axes take the colour of the page's text (`currentColor`), and the ground is transparent, so a figure fits light and dark
pages. Figures are made without pyplot, which keeps global state, and may be drawn in any thread.
"""

import functools
import io
import re
import threading
from collections.abc import Callable, Sequence
from html import escape
from typing import Any, ParamSpec, TypeVar

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"
COLOURS: Sequence[str] = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY)
LINES: Sequence[Any] = ("-", (0, (5, 1.5)), (0, (5, 1.5, 1, 1.5)), (0, (1.2, 1.2)), (0, (8, 2)), (0, (3, 1, 1, 1, 1, 1)))
GREY = "#8a8a8a"

INK = "#010203"  # stands for the page's text colour until the SVG is written

_SETTINGS: Any = {
    "font.family": "sans-serif",
    "font.size": 9.0,
    "svg.fonttype": "none",  # text stays text: small, selectable, in the page's own font
    "path.simplify": True,
    "path.simplify_threshold": 0.2,
}
# matplotlib reads its settings, which are global, whenever something is drawn.
_DRAWING = threading.RLock()

P = ParamSpec("P")
R = TypeVar("R")


def drawing(draw: Callable[P, R]) -> Callable[P, R]:
    """For functions that make a figure: one at a time, and with our settings."""

    @functools.wraps(draw)
    def alone(*args: P.args, **kwargs: P.kwargs) -> R:
        with _DRAWING, mpl.rc_context(_SETTINGS):
            return draw(*args, **kwargs)

    return alone


def figure(width_in: float, height_in: float) -> tuple[Figure, Axes]:
    """A figure with one pair of axes in the common look."""
    drawn, (axes,) = row(width_in, height_in, 1)
    return drawn, axes


def row(width_in: float, height_in: float, count: int) -> tuple[Figure, list[Axes]]:
    """The same with `count` pairs of axes side by side."""
    drawn = Figure(figsize=(width_in, height_in), layout="constrained")
    FigureCanvasSVG(drawn)
    drawn.patch.set_alpha(0)
    return drawn, [_look(drawn.add_subplot(1, count, 1 + i)) for i in range(count)]


def _look(axes: Axes) -> Axes:
    axes.patch.set_alpha(0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("bottom", "left"):
        axes.spines[side].set_color(INK)
        axes.spines[side].set_linewidth(0.6)
    axes.tick_params(colors=INK, width=0.6, length=3, labelsize=8.5)
    axes.grid(color=INK, alpha=0.13, linewidth=0.5)
    axes.set_axisbelow(True)
    return axes


def label(axes: Axes, *, x: str, y: str, title: str = "") -> None:
    axes.set_xlabel(x, color=INK)
    axes.set_ylabel(y, color=INK)
    if title:
        axes.set_title(title, color=INK, fontsize=10, loc="left", fontweight="bold")


def legend(drawn: Figure, *every: Axes, columns: int) -> None:
    """Below the axes, where it hides nothing; each name once, however many axes have it."""
    handles = {name: handle for axes in every for handle, name in zip(*axes.get_legend_handles_labels(), strict=True)}
    if handles:
        drawn.legend(
            list(handles.values()),
            list(handles),
            loc="outside lower center",
            ncols=columns,
            frameon=False,
            labelcolor=INK,
            fontsize=8.5,
            columnspacing=1.4,
        )


def to_svg(drawn: Figure, *, key: str, description: str) -> str:
    """The figure as an SVG document; call it where `drawing` holds.

    `key` sets its ids apart from other figures' in one page; `description` is for readers who cannot see it.
    """
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": key}):
        drawn.canvas.print_figure(buffer, format="svg", metadata={"Date": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace("xlink:href", "href").replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "")
    svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{key}-", svg)
    svg = svg.replace(INK, "currentColor")
    svg = re.sub(r"font-family: [^;\"]*", "font-family: system-ui, sans-serif", svg)
    head = svg.index(">") + 1
    return f'{svg[: head - 1]} role="img" aria-label="{escape(description)}">{svg[head:]}'


def to_png(drawn: Figure, *, dpi: float, description: str) -> bytes:
    """The figure as a PNG on white; call it where `drawing` holds."""
    buffer = io.BytesIO()
    drawn.canvas.print_figure(buffer, format="png", dpi=dpi, facecolor="#ffffff", metadata={"Description": description})
    return buffer.getvalue()


def standalone(svg: str) -> str:
    """The same for a file of its own: with a ground of its own, since there is no page."""
    head = svg.index(">") + 1
    ground = '<rect width="100%" height="100%" fill="#ffffff"/>'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{svg[: head - 1]} color="#1a1a1a">{ground}{svg[head:]}'


def inline(svg: str) -> str:
    """The same for use inside an HTML page, scaled to the room that it gets: without namespaces, which name outside addresses."""
    svg = re.sub(r' xmlns(:\w+)?="[^"]*"', "", svg, count=2)
    return re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1), count=1)
