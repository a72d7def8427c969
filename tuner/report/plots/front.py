# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Trials in the plane of two objectives, with the Pareto front and the profiles that people know."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tuner.goals.objectives import Objective
from tuner.goals.pareto import front
from tuner.report.plots import style

# Ratio of the highest to the lowest value from which a logarithmic scale shows more.
_LOG_FROM = 30.0


@dataclass(frozen=True, kw_only=True)
class Spot:
    """One trial: its values of the two objectives."""

    x: float
    y: float
    feasible: bool


LOOKS: Mapping[str, tuple[str, str, float]] = {
    "CC off": ("s", style.VERMILLION, 8),
    "expert": ("D", style.PURPLE, 8),
    "recommended": ("*", style.BLUE, 15),
}


@style.drawing
def pareto(
    objectives: tuple[Objective, Objective], trials: Sequence[Spot], marked: Mapping[str, tuple[str, float, float]]
) -> str:
    """SVG. `marked`: by role (`CC off`, `expert`, `recommended`) the name to show and the two values."""
    drawn, axes = style.figure(5.2, 3.7)
    for feasible, name in ((False, "breaks a constraint"), (True, "trial")):
        spots = [spot for spot in trials if spot.feasible == feasible]
        axes.scatter(
            [spot.x for spot in spots],
            [spot.y for spot in spots],
            s=22,
            marker="o" if feasible else "x",
            color=style.GREEN if feasible else style.GREY,
            linewidths=0 if feasible else 1.0,
            alpha=0.85,
            label=f"{name} ({len(spots)})",
        )
    good = [spot for spot in trials if spot.feasible]
    losses = [(objectives[0].sign * spot.x, objectives[1].sign * spot.y) for spot in good]
    edge = sorted((good[i] for i in front(losses)), key=lambda spot: spot.x)
    axes.step(
        [spot.x for spot in edge],
        [spot.y for spot in edge],
        where="post" if objectives[0].sign > 0 else "pre",  # the corners are what the front dominates
        color=style.GREEN,
        linewidth=1.1,
        linestyle=style.LINES[1],
        label="Pareto front",
    )
    for role, (name, x, y) in marked.items():
        marker, colour, size = LOOKS[role]
        axes.plot(
            x, y, marker=marker, color=colour, markersize=size, linestyle="none", markeredgecolor=style.INK, markeredgewidth=0.6,
            label=name, zorder=4,
        )  # fmt: skip
    ys = [spot.y for spot in trials] + [y for _, _, y in marked.values()]
    if ys and min(ys) > 0 and max(ys) / min(ys) > _LOG_FROM:
        axes.set_yscale("log")
    style.label(axes, x=axis_title(objectives[0]), y=axis_title(objectives[1]))
    style.legend(drawn, axes, columns=3)
    names = " and ".join(objective.name.replace("_", " ") for objective in objectives)
    return style.to_svg(drawn, key="front", description=f"Trials by {names}, with the Pareto front")


def axis_title(objective: Objective) -> str:
    """Returns the title of an axis, with the unit and the direction that is better."""
    better = "more is better" if objective.sign < 0 else "less is better"
    unit = "" if objective.unit == "1" else f" ({objective.unit})"
    return f"{objective.name.replace('_', ' ')}{unit}\n{better}"
