# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The injection rate delay that each CCTI stands for."""

from collections.abc import Mapping, Sequence

from tuner.report.plots import style

_LOOKS = {"expert": (style.PURPLE, style.LINES[1]), "recommended": (style.BLUE, "-")}


@style.drawing
def cct_curves(ird_us: Mapping[str, tuple[str, Sequence[float]]]) -> str:
    """SVG. `ird_us`: by role (`expert`, `recommended`) the name to show and the IRD in µs by CCTI."""
    drawn, axes = style.figure(5.2, 2.9)
    for role, (name, curve) in ird_us.items():
        colour, line = _LOOKS[role]
        axes.plot(range(len(curve)), curve, color=colour, linestyle=line, linewidth=1.5, label=name)
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    style.label(axes, x="CCTI", y="injection rate delay (µs)")
    style.legend(drawn, axes, columns=2)
    return style.to_svg(drawn, key="cct", description="Injection rate delay by CCTI")
