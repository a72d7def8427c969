# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The front of scenarios served against what they cost contributors."""

from collections.abc import Sequence

from matplotlib.ticker import MaxNLocator

from tuner.report.plots import style


@style.drawing
def scenario_prices(shares: Sequence[tuple[int, float]], *, limit: float | None) -> str:
    """SVG. `shares`: by the number of scenarios that are served, the easiest first, the part of their throughput with CC off that
    contributors keep in the worst of these under the best trial; `limit`: the least that a constraint allows, if one does."""
    drawn, axes = style.figure(5.2, 2.9)
    served, kept = [count for count, _ in shares], [100 * share for _, share in shares]
    axes.plot(served, kept, marker="o", color=style.BLUE, linewidth=1.4, markersize=4)
    if limit is not None:
        axes.axhline(100 * limit, color=style.GREY, linewidth=1, linestyle=(0, (4, 2)), label="constraint")
        style.legend(drawn, axes, columns=1)
    axes.set_xlim(0.5, max(served, default=1) + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    style.label(axes, x="scenarios served, the easiest first", y="contributors keep at least (%)")
    return style.to_svg(drawn, key="prices", description="What contributors keep by the number of scenarios that are served")
