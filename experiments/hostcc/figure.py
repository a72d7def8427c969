# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The slow receiver's flow and its victim over time, a panel a variant."""

from collections.abc import Mapping

from tuner.measuring.measurement import Measurement
from tuner.report.plots import style


@style.drawing
def slow_receiver(measured: Mapping[str, Measurement], *, loaded_from_s: float) -> str:
    """SVG. `measured`: by variant; the first two flows are drawn."""
    drawn, panels = style.row(2.4 * len(measured), 2.6, len(measured))
    for axes, (name, measurement) in zip(panels, measured.items(), strict=True):
        axes.axvline(loaded_from_s * 1e3, color=style.GREY, linewidth=0.8)
        for row, flow in enumerate(measurement.flows[:2]):
            look = {"color": style.COLOURS[row], "linestyle": style.LINES[row], "linewidth": 1.3}
            axes.plot(measurement.t_s * 1e3, measurement.gbps[row], label=flow.name, **look)
        axes.set_xlim(0, measurement.duration_s * 1e3)
        axes.set_ylim(0, 105)
        style.label(axes, x="time (ms)", y="throughput (Gb/s)", title=name)
    style.legend(drawn, *panels, columns=2)
    return style.to_svg(drawn, key="slow-receiver", description=f"A slow receiver and its victim: {', '.join(measured)}")
