# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Throughput over time of every flow, as in Fig. 7 of Gran et al. 2010."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from tuner.measuring.measurement import Measurement
from tuner.report.plots import style

MOST_LINES = 8
"""With more flows, each role is drawn as its mean within the range from its lowest to its highest flow."""

_ROLE_LOOKS = {
    "victim": (style.BLUE, "-"),
    "contributor": (style.VERMILLION, (0, (5, 1.5))),
    "other": (style.GREEN, (0, (1.2, 1.2))),
}


@style.drawing
def throughput(measurement: Measurement, *, title: str = "", top_gbps: float | None = None, key: str = "throughput") -> str:
    """SVG of one measurement. `top_gbps`: the end of the scale; by default a little above the highest throughput."""
    drawn, axes = style.figure(4.6, 2.9)
    draw_throughput(axes, measurement, title=title, top_gbps=top_gbps)
    style.legend(drawn, axes, columns=5 if len(measurement.flows) <= MOST_LINES else 1)
    flows = f"{len(measurement.flows)} flows under profile {measurement.profile}"
    return style.to_svg(drawn, key=key, description=f"Throughput over time of {flows}, in gigabits a second")


def draw_throughput(axes: Axes, measurement: Measurement, *, title: str = "", top_gbps: float | None = None) -> None:
    """Draws the flows into a panel of another figure."""
    (_draw_flows if len(measurement.flows) <= MOST_LINES else _draw_roles)(axes, measurement)
    axes.set_xlim(0, measurement.duration_s)
    axes.set_ylim(0, top_gbps or top_of([measurement]))
    style.label(axes, x="time (s)", y="throughput (Gb/s)", title=title)


def panels(named: Sequence[tuple[str, Measurement]], *, key: str) -> list[str]:
    """Small multiples: one figure for each title and measurement, all on one scale."""
    top_gbps = top_of([measurement for _, measurement in named])
    return [
        throughput(measurement, title=title, top_gbps=top_gbps, key=f"{key}-{index}")
        for index, (title, measurement) in enumerate(named)
    ]


def top_of(measurements: Sequence[Measurement]) -> float:
    """An end of the scale that all of them fit under, in Gb/s."""
    highest = max((float(measurement.gbps.max(initial=0.0)) for measurement in measurements), default=0.0)
    return 1.06 * highest if highest > 0 else 1.0


def _draw_flows(axes: Axes, measurement: Measurement) -> None:
    for index, (flow, gbps) in enumerate(zip(measurement.flows, measurement.gbps, strict=True)):
        active = measurement.t_s > flow.start_s
        name = f"{flow.name} (victim)" if flow.role == "victim" else flow.name
        look = index % len(style.COLOURS)
        victim = flow.role == "victim"
        axes.plot(
            measurement.t_s[active],
            gbps[active],
            color=style.COLOURS[look],
            linestyle=style.LINES[look],
            linewidth=1.6 if victim else 1.0,
            zorder=3 if victim else 2,
            label=name,
        )


def _draw_roles(axes: Axes, measurement: Measurement) -> None:
    for role, (colour, line) in _ROLE_LOOKS.items():
        rows = measurement.gbps[[flow.role == role for flow in measurement.flows]]
        if not len(rows):
            continue
        axes.fill_between(measurement.t_s, rows.min(axis=0), rows.max(axis=0), color=colour, alpha=0.18, linewidth=0)
        mean = np.mean(rows, axis=0)
        name = role if len(rows) == 1 else f"{len(rows)} {role}s, mean and range"
        axes.plot(measurement.t_s, mean, color=colour, linestyle=line, linewidth=1.4, label=name)
