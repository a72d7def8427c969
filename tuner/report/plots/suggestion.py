# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Draws how a suggested profile does by the number of contributors to one receiver, for each kind of devices."""

from collections.abc import Sequence
from dataclasses import dataclass

from tuner.report.plots import style


@dataclass(frozen=True, kw_only=True)
class DeviceLine:
    """One kind of devices: percentages by number of contributors."""

    name: str
    kept: Sequence[tuple[int, float]]
    """Least part of their total that contributors keep by the rule, as far as the profile cures victims; ascending."""
    measured: Sequence[tuple[int, float]] = ()
    """The shares from simulated incasts, or the share that victims get of what they ask for, if that is less."""


@style.drawing
def suggestion_plot(lines: Sequence[DeviceLine], *, expected: tuple[int, int], title: str) -> str:
    """SVG. A line ends where the profile stops to cure. `expected`: contributors, from least to most."""
    drawn, axes = style.figure(5.6, 3.4)
    axes.axvspan(expected[0] * 0.93, expected[1] * 1.07, color=style.GREY, alpha=0.18, linewidth=0, label="expected fan-in")
    for i, line in enumerate(lines):
        colour, dash = style.COLOURS[i % len(style.COLOURS)], style.LINES[i % len(style.LINES)]
        axes.plot(
            [n for n, _ in line.kept], [y for _, y in line.kept], color=colour, linestyle=dash, linewidth=1.5, label=line.name
        )
        if line.kept:
            axes.plot(*line.kept[-1], marker="|", color=colour, markersize=11, markeredgewidth=2)
        if line.measured:
            axes.plot(
                [n for n, _ in line.measured],
                [y for _, y in line.measured],
                "o",
                color=colour,
                markersize=4.5,
                markeredgecolor=style.INK,
            )
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda value, position: f"{value:g}")
    axes.set_ylim(0, 104)
    style.label(axes, x="contributors to one receiver", y="contributors keep, %", title=title)
    style.legend(drawn, axes, columns=3)
    return style.to_svg(drawn, key="suggestion", description="Contributors' throughput by fan-in and kind of devices")
