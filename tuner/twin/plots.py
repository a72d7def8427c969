# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Figures of a twin's report that no other report has."""

from collections.abc import Mapping, Sequence

from tuner.report.plots import style


@style.drawing
def victims_plot(shares: Mapping[str, Sequence[float]], *, key: str = "victims") -> str:
    """SVG: by profile, the share in percent that each victim gets of what it asks for, the most hurt first."""
    drawn, axes = style.figure(5.6, 3.2)
    for i, (name, values) in enumerate(shares.items()):
        axes.plot(
            range(1, len(values) + 1),
            sorted(values),
            color=style.COLOURS[1 - i % 2],
            linestyle=style.LINES[i % len(style.LINES)],
            marker="os"[i % 2],
            markersize=3.5,
            linewidth=1.2,
            label=name,
        )
    axes.set_ylim(0, 105)
    style.label(axes, x="victims, the most hurt first", y="of what it asks for, %")
    style.legend(drawn, axes, columns=2)
    return style.to_svg(drawn, key=key, description="Share that each victim gets: " + ", ".join(shares))
