# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Load of the links between switches by routing, from the most loaded to the least, under uniform traffic."""

import numpy as np
from matplotlib.figure import Figure

from tuner.documents.printable import shortened
from tuner.fabric.routing_advice import Advice
from tuner.report.plots import style

_DPI = 150
_MOST_POINTS = 2000


@style.drawing
def svg(advice: Advice, *, key: str = "link-loads") -> str:
    """The figure as an SVG document."""
    return style.to_svg(_drawn(advice), key=key, description=_description(advice))


@style.drawing
def png(advice: Advice) -> bytes:
    """The figure as a PNG."""
    return style.to_png(_drawn(advice), dpi=_DPI, description=_description(advice))


def _drawn(advice: Advice) -> Figure:
    drawn, axes = style.figure(5.6, 3.4)
    for index, engine in enumerate(engine for engine in advice.engines if engine.loads is not None):
        assert engine.loads is not None
        shares = np.array(engine.loads.sorted_shares)
        at = np.unique(np.linspace(0, shares.size - 1, min(_MOST_POINTS, shares.size)).round().astype(int))
        used = at[shares[at] > 0]
        name = f"{engine.routing}, as it is" if engine.as_it_is else engine.routing
        note = ", credit loop" if engine.credit_loop else ""
        axes.plot(
            100 * (used + 1) / shares.size,
            100 * shares[used],
            color=style.COLOURS[index % len(style.COLOURS)],
            linestyle=style.LINES[index % len(style.LINES)],
            label=f"{name}: {engine.loads.uniform_share:.0%}{note}",
        )
    axes.axhline(100, color=style.GREY, linewidth=0.8)
    axes.set_xlim(0, 100)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    style.label(
        axes, x="links between switches, each direction, most loaded first (%)", y="load (% of data rate)", title=_title(advice)
    )
    style.legend(drawn, axes, columns=2)
    return drawn


def _title(advice: Advice) -> str:
    return shortened(advice.document.name, 60).replace("$", r"\$")


def _description(advice: Advice) -> str:
    parts = [
        f"{engine.routing} {engine.loads.uniform_share:.0%} of what the links of hosts allow"
        for engine in advice.engines
        if engine.loads
    ]
    return f"Loads of links between switches under uniform traffic, by routing: {'; '.join(parts)}"
