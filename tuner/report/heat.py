# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Trials by two parameters, as Figs. 11, 12 and 14 of Gran et al. 2010 show CCTI_Timer and Marking_Rate.

A search does not measure a grid, and its other parameters vary too. So a cell shows the median of the trials that fall into it
and how many they are, and a cell without any stays empty: nothing is drawn between what was measured.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from tuner.goals.objectives import OBJECTIVES, Objective

Document = Mapping[str, Any]

PAPER_AXES = ("ca.ccti_timer", "switch.marking_rate")
METRICS = ("victim_throughput", "contributor_total", "treatment_variation")
"""Figs. 11, 12 and 14."""
MOST_CELLS = 10
"""On an axis; with fewer different values than that, each has a cell of its own."""


@dataclass(frozen=True, kw_only=True)
class Axis:
    """One parameter, cut into cells."""

    name: str
    edges: tuple[float, ...]
    """Ends of the cells, one more than they are; a value on an inner edge belongs above it."""
    labels: tuple[str, ...]
    """Labels of the cells."""

    def cell_of(self, value: float) -> int:
        return sum(value >= edge for edge in self.edges[1:-1])


@dataclass(frozen=True, kw_only=True)
class HeatMap:
    """One metric over two parameters. `cells`: by (x, y) the median and the number of trials."""

    objective: Objective
    x: Axis
    y: Axis
    cells: Mapping[tuple[int, int], tuple[float, int]]


def heat_maps(report: Document) -> list[HeatMap]:
    """Returns the heat maps of the trials in a report's document; none with fewer than two parameters that are numbers."""
    trials = [trial for trial in report["trials"] if trial["metrics"] is not None and trial["state"] == "complete"]
    names = axes_of(report, trials)
    if names is None:
        return []
    x, y = (axis_of(name, [trial["params"][name] for trial in trials if name in trial["params"]]) for name in names)
    maps = []
    for objective in (OBJECTIVES.get(name) for name in METRICS):
        by_cell: dict[tuple[int, int], list[float]] = {}
        for trial in trials:
            value = trial["metrics"].get(objective.metric)
            if value is not None and all(name in trial["params"] for name in names):
                cell = x.cell_of(trial["params"][names[0]]), y.cell_of(trial["params"][names[1]])
                by_cell.setdefault(cell, []).append(value)
        cells = {cell: (median(values), len(values)) for cell, values in by_cell.items()}
        if cells:
            maps.append(HeatMap(objective=objective, x=x, y=y, cells=cells))
    return maps


def axes_of(report: Document, trials: Sequence[Document]) -> tuple[str, str] | None:
    """CCTI_Timer and Marking_Rate if both were searched, else the two parameters that mattered most; numbers only."""
    numeric = [
        name
        for name in report["parameters"]
        if (values := {trial["params"][name] for trial in trials if name in trial["params"]})
        and len(values) > 1
        and not any(isinstance(value, bool | str) for value in values)
    ]
    if all(name in numeric for name in PAPER_AXES):
        return PAPER_AXES
    shares = report["importance"]["shares"].values()
    numeric.sort(key=lambda name: -sum(share.get(name, 0.0) for share in shares))  # stable: in the space's order without shares
    return (numeric[0], numeric[1]) if len(numeric) > 1 else None


def axis_of(name: str, values: Sequence[float]) -> Axis:
    """Cells that hold all `values`: one for each if they are few, else equal ones, of the logarithm from a decade on."""
    different = sorted(set(values))
    if len(different) <= MOST_CELLS:
        middles = [(a + b) / 2 for a, b in itertools.pairwise(different)]
        return Axis(name=name, edges=(different[0], *middles, different[-1]), labels=tuple(f"{value:.4g}" for value in different))
    low, high = different[0], different[-1]
    steps = [i / MOST_CELLS for i in range(MOST_CELLS + 1)]
    if low > 0 and high / low > 10:
        edges = tuple(low * math.exp(step * math.log(high / low)) for step in steps)
    else:
        edges = tuple(low + step * (high - low) for step in steps)
    return Axis(name=name, edges=edges, labels=tuple(f"{a:.3g}–{b:.3g}" for a, b in itertools.pairwise(edges)))
