# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The marks that a drawing of a fabric is made of. All of one look are one element of the SVG, so large fabrics stay small."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.text import Text

from tuner.report.plots import style
from tuner.report.plots.fabric_geometry import Point, Points

MOST_VECTORS = 8000
"""A figure with more lines than these has its lines as one picture in the SVG."""
_CURVE_POINTS = 13  # odd: a curve has a middle


def curve(begin: Points, end: Points, bend: Point | None) -> Points:
    """Points of a line; `bend` is how far its middle lies beside the straight one's."""
    if bend is None:
        return np.array([begin, (begin + end) / 2, end])
    t = np.linspace(0, 1, _CURVE_POINTS)[:, None]
    aside: Points = begin * (1 - t) + end * t + np.array(bend) * (4 * t * (1 - t))
    return aside


def beside(line: Points, inches: float) -> Points:
    """The line moved to the right of its direction."""
    along = np.gradient(line, axis=0)
    right = np.stack([along[:, 1], -along[:, 0]], axis=1)
    moved: Points = line + right * (inches / np.maximum(1e-9, np.hypot(*right.T)))[:, None]
    return moved


def arrows(axes: Axes, lines: Sequence[Points], *, colour: str, size_in: float, zorder: float) -> None:
    """A head on each line, a little beyond its middle, so that those of two directions stand apart."""
    corners = []
    for line in lines:
        ahead = line[len(line) // 2 + 1] - line[len(line) // 2]
        length = float(np.hypot(*ahead))
        if length > 2 * size_in:
            ahead = ahead / length
            tip = line[len(line) // 2] + ahead * min(length, 2.2 * size_in)
            side = np.array([-ahead[1], ahead[0]]) * size_in * 0.75
            back = tip - ahead * size_in * 1.8
            corners += [tip, back + side, back - side, tip]
    if corners:
        path = Path(np.array(corners), [Path.MOVETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY] * (len(corners) // 4))
        axes.add_patch(PathPatch(path, facecolor=colour, linewidth=0, zorder=zorder, gid="arrows"))


def strokes(
    axes: Axes, lines: Sequence[Points], *, gid: str, colour: str, width: float, alpha: float, zorder: float, picture: bool
) -> None:
    """Draws lines of one look, as one path or as a part of the picture, in which those that lie on each other add up."""
    if not lines:
        return
    if picture:
        many = LineCollection(lines, colors=[colour], linewidths=width, alpha=alpha, zorder=zorder, capstyle="butt")
        many.set_rasterized(True)
        many.set_gid(gid)
        axes.add_collection(many, autolim=False)
        return
    codes = np.concatenate([[Path.MOVETO, *[Path.LINETO] * (len(line) - 1)] for line in lines])
    path = Path(np.concatenate(lines), codes)
    axes.add_patch(
        PathPatch(
            path, fill=False, edgecolor=colour, linewidth=width, alpha=alpha, zorder=zorder, capstyle="butt", joinstyle="round",
            gid=gid,
        )
    )  # fmt: skip


def boxes(axes: Axes, centres: Points, *, gid: str, width_in: float, height_in: float, colour: str, zorder: float) -> None:
    """Rectangles of one size with an edge of the page's text colour."""
    if not len(centres):
        return
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]) * (width_in / 2, height_in / 2)
    path = Path((centres[:, None, :] + corners).reshape(-1, 2), [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY] * len(centres))
    thin = 0.7 if width_in > 0.05 else 0.25
    axes.add_patch(PathPatch(path, facecolor=colour, edgecolor=style.INK, linewidth=thin, zorder=zorder, gid=gid))


LETTER = 0.6
"""Width of a letter, about, as a part of the font's size."""


def text(axes: Axes, at: Iterable[float], words: str, *, size: float, **look: Any) -> Text:
    x, y = at
    whole: dict[str, Any] = {"color": style.INK, "ha": "center", "va": "center", "zorder": 9} | look
    return axes.text(x, y, words, fontsize=size, clip_on=False, parse_math=False, **whole)


def fitting_size(names: Iterable[str], room_in: float) -> float | None:
    """The font size in points, 5.8 to 8, in which each of the names fits into `room_in` inches; None if there is none."""
    longest = max(map(len, names), default=0)
    size = min(8.0, (room_in - 0.05) * 72 / (LETTER * max(1, longest)))
    return size if size >= 5.8 else None
