# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One value over a parameter, a line for each variant."""

from collections.abc import Mapping, Sequence

from tuner.report.plots import style


@style.drawing
def lines(
    curves: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    *,
    x_label: str,
    y_label: str,
    title: str,
    key: str,
    logarithmic: bool = False,
) -> str:
    """SVG. `curves`: by name, the values of the parameter and what came out at each. `logarithmic`: both axes are."""
    drawn, axes = style.figure(5.2, 3.2)
    for index, (name, (x, y)) in enumerate(curves.items()):
        look = index % len(style.COLOURS)
        axes.plot(
            x, y, color=style.COLOURS[look], linestyle=style.LINES[look], marker="o", markersize=3, linewidth=1.3, label=name
        )
    if logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("log")
    style.label(axes, x=x_label, y=y_label, title=title)
    style.legend(drawn, axes, columns=2)
    return style.to_svg(drawn, key=key, description=f"{title}: {y_label} by {x_label}")
