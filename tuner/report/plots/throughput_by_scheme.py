# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Total throughput over time of several runs, one line a scheme, as the figures of thesis Papers V and VI have it."""

from collections.abc import Mapping

from tuner.goals.series import Series
from tuner.report.plots import style
from tuner.report.plots.lines_by_scheme import check_lines, draw_lines


@style.drawing
def throughput_by_scheme(
    total_gbps: Mapping[str, Series],
    *,
    interval_s: float,
    burst_s: tuple[float, float] | None = None,
    title: str = "",
    top_gbps: float | None = None,
    key: str = "throughput-by-scheme",
) -> str:
    """Returns an SVG. `total_gbps`: by the name of a scheme its throughput in Gb/s at each sample, one-dimensional and of one
    length; the order is that of the legend. `interval_s`: seconds between samples. `burst_s`: the begin and the end of an
    interval that is shaded, in seconds. `top_gbps`: the end of the scale, so that figures can be compared; by default a little
    above the highest throughput. `key`: sets the figure's ids apart from those of others in one page. Raises BadInputError."""
    check_lines(total_gbps, what="throughput", interval_s=interval_s, burst_s=burst_s)
    drawn, axes = style.figure(5.6, 3.2)
    draw_lines(
        axes,
        total_gbps,
        interval_s=interval_s,
        y="total throughput (Gb/s)",
        title=title,
        burst_s=burst_s,
        top=top_gbps,
        key=key,
    )
    style.legend(drawn, axes, columns=4)
    names = ", ".join(total_gbps)
    return style.to_svg(drawn, key=key, description=f"Total throughput over time in gigabits a second, by scheme: {names}")
