# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The sheet that a fabric is drawn on: as large as its layout needs, with a title, a scale, a legend and a caption."""

import textwrap
from collections.abc import Sequence

from matplotlib.axes import Axes

from tuner.report.plots import style
from tuner.report.plots.fabric_geometry import Points

# In inches.
_HEAD, _LINE, _SCALE, _MARGIN, _NARROWEST = 0.38, 0.165, 0.66, 0.15, 6.6
_LETTERS_PER_INCH = 15.5
_FONT = 7.5


class Sheet:
    """`axes` has inches for units; the layout lies within `points`."""

    def __init__(self, points: Points, *, title: str, caption: Sequence[str], left: float, scale: bool) -> None:
        """`left`: room beside the layout for labels. `scale`: whether there is to be room for a scale."""
        low, high = points.min(axis=0), points.max(axis=0)
        self.width = max(float(high[0] - low[0]) + left + 0.4, _NARROWEST)
        aside = (self.width - float(high[0] - low[0]) - left - 0.4) / 2
        lines = [line for text in caption for line in textwrap.wrap(text, int(self.width * _LETTERS_PER_INCH))]
        self._text = _LINE * len(lines) + 0.1
        foot = self._text + (_SCALE if scale else 0.3)
        tall = float(high[1] - low[1]) + 0.36
        self.height = _HEAD + tall + foot
        self.figure, self.axes = style.figure(self.width, self.height)
        self.figure.set_layout_engine("none")
        self.axes.set_axis_off()
        self.axes.set_position((0.0, foot / self.height, 1.0, tall / self.height))
        self.axes.set_xlim(low[0] - left - aside, low[0] - left - aside + self.width)
        self.axes.set_ylim(low[1] - 0.2, high[1] + 0.16)
        self.left = float(low[0]) - left - aside + _MARGIN
        self._write(self.height - 0.22, title, size=10, weight="bold")
        for number, line in enumerate(lines):
            self._write(_LINE * (len(lines) - number) - 0.02, line, size=_FONT)

    def scale_axes(self) -> Axes:
        """For the scale, below the drawing on the left."""
        wide = min(4.2, 0.6 * self.width)
        box = (_MARGIN / self.width, (self._text + 0.42) / self.height, wide / self.width, 0.11 / self.height)
        return self.figure.add_axes(box)

    def legend(self, *, beside_scale: bool) -> None:
        """Draws the legend of all that has labels."""
        handles, names = self.axes.get_legend_handles_labels()
        if not handles:
            return
        x, y = (1 - _MARGIN / self.width, 0.47) if beside_scale else (_MARGIN / self.width, 0.12)
        self.figure.legend(
            handles, names, loc="center right" if beside_scale else "center left",
            bbox_to_anchor=(x, (self._text + y) / self.height),
            frameon=False, ncols=1 if beside_scale else 4, labelcolor=style.INK, fontsize=8, handletextpad=0.5, borderaxespad=0,
        )  # fmt: skip

    def _write(self, y: float, words: str, *, size: float, weight: str = "normal") -> None:
        self.figure.text(
            _MARGIN / self.width,
            y / self.height,
            words,
            color=style.INK,
            fontsize=size,
            fontweight=weight,
            va="center",
            parse_math=False,
        )
