# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Series over time with one line a scheme, for figures that compare schemes."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from tuner.errors import BadInputError
from tuner.goals.series import Series
from tuner.measuring.measurement import sample_ends
from tuner.report.plots import style

_MS_BELOW_S = 1.0
"""Duration in s below which the axis of time is in ms."""


def draw_lines(
    axes: Axes,
    by_scheme: Mapping[str, Series],
    *,
    interval_s: float,
    y: str,
    title: str = "",
    burst_s: tuple[float, float] | None = None,
    top: float | None = None,
    key: str,
) -> None:
    """Draws a line for each scheme, in their order. The series must have passed `check_lines`. `y`: label of the values' axis.
    `burst_s`: the begin and the end of an interval that is shaded, in seconds. `top`: the end of the scale; by default a little
    above the highest value. `key`: sets the figure's ids apart."""
    ends_s = sample_ends(len(next(iter(by_scheme.values()))), interval_s)
    unit, per_s = ("ms", 1e3) if ends_s[-1] < _MS_BELOW_S else ("s", 1.0)
    if burst_s is not None:
        begin, end = burst_s[0] * per_s, burst_s[1] * per_s
        axes.axvspan(begin, end, color=style.INK, alpha=0.08, linewidth=0, label="burst", gid=f"{key}-burst")
    highest = 0.0
    for index, (name, series) in enumerate(by_scheme.items()):
        highest = max(highest, float(series.max()))
        axes.plot(
            ends_s * per_s,
            series,
            # Line styles shift against colors after each round, so that no two of 36 schemes look alike.
            color=style.COLOURS[index % len(style.COLOURS)],
            linestyle=style.LINES[(index + index // len(style.COLOURS)) % len(style.LINES)],
            linewidth=1.3,
            label=_plain(name),
        )
    axes.set_xlim(0, float(ends_s[-1]) * per_s)
    axes.set_ylim(0, top or (1.06 * highest if highest > 0 else 1.0))
    style.label(axes, x=f"time ({unit})", y=_plain(y), title=_plain(title))


def check_lines(
    by_scheme: Mapping[str, Series], *, what: str, interval_s: float, burst_s: tuple[float, float] | None = None
) -> None:
    """Raises BadInputError if there is no series, or one is not of shape (n_samples,) with as many samples as the others.
    `what`: the figure's name in a sentence."""
    if not by_scheme:
        raise BadInputError(f"a figure of {what} by scheme has 0 series; it needs one or more")
    if not interval_s > 0:
        raise BadInputError(f"interval_s is {interval_s:g}; it must be above 0")
    lengths = {name: np.shape(series) for name, series in by_scheme.items()}
    first = next(iter(lengths))
    for name, shape in lengths.items():
        if len(shape) != 1 or shape[0] == 0:
            raise BadInputError(f"the series of '{name}' has the shape {shape}; it must be (n_samples,) with a sample or more")
        if shape != lengths[first]:
            raise BadInputError(f"the series of '{name}' has {shape[0]} samples and that of '{first}' {lengths[first][0]}")
    if burst_s is not None and not 0 <= burst_s[0] < burst_s[1]:
        raise BadInputError(f"burst_s is {burst_s[0]:g} to {burst_s[1]:g} s; it must begin at 0 or later and end after that")


def _plain(text: str) -> str:
    """Text without the formulas that matplotlib reads between dollar signs."""
    return text.replace("$", r"\$")
