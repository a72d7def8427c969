# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Figures: CCTI over time, and the ablation's rows with their intervals."""

from collections.abc import Mapping

import numpy as np
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from experiments.scenario_1_campaign.ripple import INTERVAL_S, Ripple
from tuner.campaign.replicates import Estimate
from tuner.report.plots import style

SHOWN_S = 0.1
DRAWN_EVERY = 5
"""Samples; a tick of the faster timer is about one."""


@style.drawing
def ccti_over_time(ripple: Ripple, *, title: str, low: float, high: float, key: str) -> str:
    """SVG of the first tenth of a second of the window. `low`, `high`: ends of the scale, so that several figures compare."""
    drawn, axes = style.figure(5.2, 2.6)
    shown = ripple.ccti[:, : round(SHOWN_S / INTERVAL_S) : DRAWN_EVERY]
    time_ms = np.arange(shown.shape[1]) * DRAWN_EVERY * INTERVAL_S * 1e3
    for index, row in enumerate(shown):
        axes.plot(time_ms, row, color=style.COLOURS[index], linestyle=style.LINES[index], linewidth=0.9, label=f"F{index + 2}")
    axes.set_xlim(0, SHOWN_S * 1e3)
    axes.set_ylim(low, high)
    style.label(axes, x="time (ms)", y="CCTI", title=title)
    style.legend(drawn, axes, columns=4)
    return style.to_svg(drawn, key=key, description=f"CCTI of the four contributors over time: {title}")


@style.drawing
def interval_rows(estimates: Mapping[str, Estimate], *, x_label: str, title: str, key: str) -> str:
    """SVG. By name a figure with its 95 % interval, a row each from the top, on a logarithmic scale; all must be above 0."""
    drawn, axes = style.figure(6.4, 0.9 + 0.26 * len(estimates))
    for y, estimate in enumerate(estimates.values()):
        low, high = estimate.interval() or (estimate.value, estimate.value)
        low = max(low, estimate.value / 10)  # an interval that goes below 0 has no end on this scale
        axes.plot([low, high], [y, y], color=style.BLUE, linewidth=1.4)
        axes.plot([estimate.value], [y], color=style.BLUE, marker="o", markersize=4)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_yticks(range(len(estimates)), list(estimates))
    axes.invert_yaxis()
    style.label(axes, x=x_label, y="", title=title)
    return style.to_svg(drawn, key=key, description=f"{title}: {x_label}, with 95 % intervals")
