# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Resources of schemes over time, one panel a resource and one line a scheme, such as Figure 10 of thesis Paper VI: input ports
without a free HPQ."""

from collections.abc import Mapping

import numpy as np

from tuner.errors import BadInputError
from tuner.goals.series import Series
from tuner.report.plots import style
from tuner.report.plots.lines_by_scheme import check_lines, draw_lines

_PANEL_IN = (3.4, 3.0)
"""Width and height of a panel in inches."""


@style.drawing
def resources_by_scheme(
    resources: Mapping[str, Mapping[str, Series]],
    *,
    interval_s: float,
    burst_s: tuple[float, float] | None = None,
    title: str = "",
    key: str = "resources-by-scheme",
) -> str:
    """Returns an SVG with a panel for each resource. `resources`: by a resource's name for people (`special queues in use`), by
    the name of a scheme, its value at each sample: one-dimensional, and of one length throughout. A scheme may lack a resource.
    `interval_s`: seconds between samples. `burst_s`: the begin and the end of an interval that is shaded, in seconds. `key`:
    sets the figure's ids apart from those of others in one page. Raises BadInputError."""
    if not resources:
        raise BadInputError("a figure of resources by scheme has 0 resources; it needs one or more")
    for resource, by_scheme in resources.items():
        check_lines(by_scheme, what=resource, interval_s=interval_s, burst_s=burst_s)
    _require_one_length(resources)
    width, height = _PANEL_IN
    drawn, panels = style.row(width * len(resources), height, len(resources))
    schemes = list(dict.fromkeys(name for by_scheme in resources.values() for name in by_scheme))
    for number, (axes, (resource, by_scheme)) in enumerate(zip(panels, resources.items(), strict=True)):
        # A scheme that lacks a resource keeps its place, so that its line looks alike in all panels.
        length = len(next(iter(by_scheme.values())))
        lines = {name: by_scheme.get(name, np.full(length, np.nan)) for name in schemes}
        draw_lines(
            axes,
            lines,
            interval_s=interval_s,
            y=resource,
            title="" if number else title,
            burst_s=burst_s,
            top=_top(by_scheme),
            key=f"{key}-{number}",
        )
    style.legend(drawn, *panels, columns=4)
    return style.to_svg(drawn, key=key, description=f"{', '.join(resources)} over time, by scheme: {', '.join(schemes)}")


def _top(by_scheme: Mapping[str, Series]) -> float:
    return 1.06 * max(float(series.max()) for series in by_scheme.values()) or 1.0


def _require_one_length(resources: Mapping[str, Mapping[str, Series]]) -> None:
    lengths = {resource: len(next(iter(by_scheme.values()))) for resource, by_scheme in resources.items()}
    first = next(iter(lengths))
    for resource, length in lengths.items():
        if length != lengths[first]:
            raise BadInputError(f"the series of '{resource}' have {length} samples and those of '{first}' {lengths[first]}")
