# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Chooses the layout that suits a fabric."""

from tuner.report.plots import fabric_circle, fabric_grid, fabric_rows
from tuner.report.plots.fabric_geometry import Layout
from tuner.report.plots.fabric_wiring import Wiring


def place(wiring: Wiring, *, directed: bool) -> Layout:
    """Grids by coordinates, what has levels in rows, and everything else around a circle.

    `directed`: the two directions of links are to be told apart, so rows are unfolded: packets go from the top to the bottom."""
    if fabric_grid.suits(wiring):
        return fabric_grid.place(wiring)
    if fabric_rows.suits(wiring):
        return fabric_rows.place(wiring, directed=directed)
    return fabric_circle.place(wiring)
