# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Draws how much each parameter mattered, for each objective."""

from collections.abc import Mapping

from tuner.report.plots import style


@style.drawing
def importance(shares: Mapping[str, Mapping[str, float]]) -> str:
    """SVG. `shares`: by objective and parameter, the parameter's share; each objective's sum to 1."""
    drawn, axes = style.figure(5.2, 0.9 + 0.42 * len(next(iter(shares.values()))))
    names = sorted(next(iter(shares.values())), key=lambda name: sum(share[name] for share in shares.values()))
    height = 0.8 / len(shares)
    for index, (objective, share) in enumerate(shares.items()):
        axes.barh(
            [row + 0.4 - height * (index + 0.5) for row in range(len(names))],
            [share[name] for name in names],
            height=height * 0.92,
            color=style.COLOURS[index % len(style.COLOURS)],
            hatch=("", "////", "....", "xxxx")[index % 4],
            edgecolor=style.INK,
            linewidth=0.4,
            label=objective.replace("_", " "),
        )
    axes.set_yticks(range(len(names)), names)
    axes.grid(visible=False, axis="y")
    axes.set_xlim(0, 1)
    style.label(axes, x="share of importance", y="")
    style.legend(drawn, axes, columns=2)
    return style.to_svg(drawn, key="importance", description="Importance of each parameter for each objective")
