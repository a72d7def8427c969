# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Growth of the front: hypervolume over the trials."""

from collections.abc import Sequence

from matplotlib.ticker import MaxNLocator

from tuner.report.plots import style


@style.drawing
def hypervolume_over_trials(volumes: Sequence[float], *, unit: str) -> str:
    """SVG. `volumes`: after each trial, the hypervolume that the feasible trials so far dominate."""
    drawn, axes = style.figure(5.2, 2.9)
    axes.step(range(1, len(volumes) + 1), volumes, where="post", color=style.BLUE, linewidth=1.4)
    axes.plot(len(volumes), volumes[-1] if volumes else 0.0, marker="o", color=style.BLUE, markersize=4)
    axes.set_xlim(0, max(1, len(volumes)) + 0.5)
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    style.label(axes, x="trials", y=f"hypervolume ({unit})")
    return style.to_svg(drawn, key="hypervolume", description="Hypervolume of the Pareto front after each trial")
