# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The profiles that were measured again with fresh seeds, in the plane of two objectives, with their intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

from tuner.goals.objectives import Objective
from tuner.report.plots import style
from tuner.report.plots.front import LOOKS, axis_title

Interval = tuple[float, float] | None


@dataclass(frozen=True, kw_only=True)
class ConfirmedSpot:
    """One profile: its two values, each with what holds the true one with 95 %, or None from a single seed."""

    name: str
    role: str
    """`expert`, `recommended`, or `trial`."""
    x: float
    y: float
    x_interval: Interval = None
    y_interval: Interval = None
    feasible: bool = True


@style.drawing
def confirmed_front(objectives: tuple[Objective, Objective], spots: Sequence[ConfirmedSpot]) -> str:
    """SVG. Trials carry their names; the legend has the others'."""
    drawn, axes = style.figure(5.2, 3.7)
    told = set()
    for spot in spots:
        marker, colour, size = LOOKS.get(spot.role, ("o", style.GREEN, 6) if spot.feasible else ("X", style.GREY, 6))
        name = spot.name if spot.role != "trial" else "trial" if spot.feasible else "trial that breaks a constraint"
        axes.errorbar(
            spot.x,
            spot.y,
            xerr=_reach(spot.x, spot.x_interval),
            yerr=_reach(spot.y, spot.y_interval),
            fmt=marker,
            color=colour,
            ecolor=colour,
            elinewidth=1.1,
            capsize=2.5,
            markersize=size,
            markeredgecolor=style.INK,
            markeredgewidth=0.5,
            zorder=3 if spot.role == "trial" else 4,
            label=None if name in told else name,
        )
        told.add(name)
        if spot.role == "trial":
            axes.annotate(spot.name, (spot.x, spot.y), (4, 4), textcoords="offset points", fontsize=7, color=style.INK)
    style.label(axes, x=axis_title(objectives[0]), y=axis_title(objectives[1]))
    style.legend(drawn, axes, columns=3)
    names = " and ".join(objective.name.replace("_", " ") for objective in objectives)
    return style.to_svg(drawn, key="confirmed", description=f"Confirmed profiles by {names}, with 95 % intervals")


def _reach(value: float, interval: Interval) -> list[list[float]] | None:
    """Below and above, as matplotlib takes it."""
    return None if interval is None else [[max(0.0, value - interval[0])], [max(0.0, interval[1] - value)]]
