# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Modelled hosts over time, one line a host: lines in flight to memory, the receive buffer, and time without PCIe credits."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from tuner.goals.series import Series
from tuner.measuring.measurement import Measurement
from tuner.report.modelled_hosts import shown_series
from tuner.report.plots import style
from tuner.report.plots.lines_by_scheme import draw_lines
from tuner.report.plots.throughput import draw_throughput

_PANELS: Mapping[str, tuple[str, float]] = {
    "occupancy_lines": ("occupancy (cache lines)", 1.0),
    "buffer_bytes": ("receive buffer (KB)", 1e-3),
    "without_credits_share": ("without PCIe credits (%)", 100.0),
}
"""By key of `host_series`: label of the axis, and factor of the values."""
_PANEL_IN = (3.4, 2.9)
"""Width and height of a panel in inches."""


def has_modelled_hosts(measurement: Measurement) -> bool:
    return bool(measurement.counters.get("host_series"))


@style.drawing
def modelled_hosts(measurement: Measurement, *, title: str = "", beside_throughput: bool = False, key: str = "hosts") -> str:
    """Returns an SVG of a measurement that has modelled hosts. `beside_throughput`: with a panel of the flows before them."""
    shown = shown_series(measurement.counters["host_series"])
    width, height = _PANEL_IN
    count = len(_PANELS) + beside_throughput
    drawn, axes = style.row(width * count, height, count)
    if beside_throughput:
        draw_throughput(axes[0], measurement, title=title)
    _draw_hosts(axes[-len(_PANELS) :], shown, measurement, title="" if beside_throughput else title, key=key)
    style.legend(drawn, *axes, columns=6)
    return style.to_svg(drawn, key=key, description=f"Inside of the hosts {', '.join(shown)} over time")


def _draw_hosts(panels: list[Axes], shown: Mapping[str, Any], measurement: Measurement, *, title: str, key: str) -> None:
    for number, (axes, (name, (label, factor))) in enumerate(zip(panels, _PANELS.items(), strict=True)):
        lines: dict[str, Series] = {f"in {host}": np.asarray(series[name]) * factor for host, series in shown.items()}
        heading = "" if number else title
        draw_lines(axes, lines, interval_s=measurement.interval_s, y=label, title=heading, key=f"{key}-{number}")
