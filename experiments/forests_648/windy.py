# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Windy forests, section V-B: x % of the nodes are B nodes, which send p % of their traffic to a hotspot; of the others 80 % are
C nodes and 20 % V nodes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from experiments._common.bands import Panel, bands
from experiments._common.findings import Table
from experiments._common.runs import Run
from experiments.fat_tree_648.bed import DURATION_S, INJECT_GBPS, SETTINGS, devices, forest, run
from experiments.fat_tree_648.reading import Reading, spread
from tuner.documents.workload import Workload

Readings: TypeAlias = Mapping[tuple[Any, ...], Reading]

V_PERCENT = 20
"""V nodes among those that are no B nodes."""
QUICK_S = 0.02
STATES = {False: "CC off", True: "CC on"}
STUBBORN = (100, 20)
"""x and p of a forest whose hotspots more flows meet than BECNs can hold back, one each in a tick of the CCTI_Timer."""
AS_IT_IS = "as it is"
STRONGER: Mapping[str, Mapping[str, object]] = {
    AS_IT_IS: {},
    "CCTI_Timer 600": {"ca.ccti_timer": 600},
    "CCTI_Increase 4": {"ca.ccti_increase": 4},
}
"""Changes to the profile, which has a CCTI_Timer of 150 and a CCTI_Increase of 1."""
FROZEN = (100, 60)
"""x and p of a forest on the frozen devices, which `ibcc simulate` has by default; always over the whole slot."""
FROZEN_STATES: Mapping[str, Mapping[str, object] | None] = {"CC off": None, "CC on": SETTINGS, "gran-2012 as it is": {}}
"""Changes to gran-2012."""


@dataclass(frozen=True, kw_only=True)
class Grid:
    """The forests over x and p, CC off and on."""

    x_percent: Sequence[int] = (25, 50, 75, 100)
    p_percent: Sequence[int] = tuple(range(0, 101, 10))
    duration_s: float = DURATION_S
    seeds: Sequence[int] = (1, 2, 3)

    @classmethod
    def quick(cls) -> "Grid":
        return cls(x_percent=(25, 100), p_percent=(20, 60), duration_s=QUICK_S, seeds=(1,))

    def runs(self, fabric: str) -> dict[tuple[Any, ...], Run]:
        def traffic(x: int, p: int, seed: int) -> Workload:
            return forest(fabric, seed=seed, duration_s=self.duration_s, b_percent=x, p_percent=p)

        first = self.seeds[0]
        return (
            {
                ("windy", x, p, cc, seed): run(traffic(x, p, seed), cc=cc, seed=seed, model=devices())
                for x, p, cc, seed in product(self.x_percent, self.p_percent, STATES, self.seeds)
            }
            | {
                ("stronger", name): run(
                    traffic(*STUBBORN, first), cc=True, seed=first, model=devices(), settings={**SETTINGS, **settings}
                )
                for name, settings in STRONGER.items()
                if settings
            }
            | {
                ("frozen", name, seed): run(
                    forest(fabric, seed=seed, b_percent=FROZEN[0], p_percent=FROZEN[1]),
                    cc=settings is not None,
                    seed=seed,
                    model={},
                    settings=settings or {},
                )
                for (name, settings), seed in product(FROZEN_STATES.items(), self.seeds)
            }
        )

    def each(self, read: Readings, x: int, p: int, *, cc: bool) -> list[Reading]:
        """One of every seed."""
        return [read["windy", x, p, cc, seed] for seed in self.seeds]

    def gains(self, read: Readings, x: int, p: int) -> list[float]:
        """Returns the total with CC as a multiple of the total without, of every seed."""
        off, on = (self.each(read, x, p, cc=cc) for cc in (False, True))
        return [mine.total_gbps / its.total_gbps for its, mine in zip(off, on, strict=True)]

    def table(self, read: Readings) -> Table:
        rows = []
        for x, p in product(self.x_percent, self.p_percent):
            off, on = (self.each(read, x, p, cc=cc) for cc in (False, True))
            hot = [[r.hotspots_gbps for r in each if r.hotspots_gbps is not None] for each in (off, on)]
            rows.append(
                [
                    f"{x} %",
                    f"{p} %",
                    *(spread([r.non_hotspots_gbps for r in each], 3) for each in (off, on)),
                    f"{tmax_gbps(x, p):.3f}",
                    *(spread(each, 2) if each else "" for each in hot),
                    *(spread([r.total_gbps for r in each], 0) for each in (off, on)),
                    spread([r.settled_total_gbps for r in on], 0),
                    spread(self.gains(read, x, p), 2),
                ]
            )
        return Table(
            title=f"Windy forests (Gb/s over {self.duration_s} s; settled: the last quarter; mean of the seeds, and their range)",
            columns=[
                *("x", "p", "non-hotspots, off", "non-hotspots, on", "tmax", "hotspots, off", "hotspots, on"),
                *("total, off", "total, on", "settled total, on", "on / off"),
            ],
            rows=rows,
        )

    def figures(self, read: Readings) -> dict[str, str]:
        """SVG by stem: three plots for each x."""
        return {f"windy-{x}": self._figure(read, x) for x in self.x_percent}

    def _figure(self, read: Readings, x: int) -> str:
        non_hotspots = {
            name: {p: [r.non_hotspots_gbps for r in self.each(read, x, p, cc=cc)] for p in self.p_percent}
            for cc, name in STATES.items()
        }
        hotspots = {
            name: {
                p: [r.hotspots_gbps for r in each if r.hotspots_gbps is not None]
                for p in self.p_percent
                if (each := self.each(read, x, p, cc=cc))[0].hotspots_gbps is not None  # without contributors there is none
            }
            for cc, name in STATES.items()
        }
        tmax = {p: [tmax_gbps(x, p)] for p in self.p_percent}
        gains = {p: self.gains(read, x, p) for p in self.p_percent}
        return bands(
            [
                Panel(y_label="a non-hotspot receives (Gb/s)", curves=non_hotspots | {"tmax": tmax}),
                Panel(y_label="a hotspot receives (Gb/s)", curves=hotspots),
                Panel(y_label="total with CC / without", curves={"total": gains}, level=1),
            ],
            x_label="to a hotspot: p (%)",
            title=f"{x} % B nodes",
            key=f"windy-{x}",
        )


def tmax_gbps(x: float, p: float) -> float:
    """What every host would receive on average if there were no traffic to hotspots, and nothing of the rest were lost: B nodes
    send all but p % of what they can to all others alike, and V nodes everything. In Gb/s."""
    uniform = x / 100 * (1 - p / 100) + (1 - x / 100) * V_PERCENT / 100
    return INJECT_GBPS * uniform


def turns(reading: Reading) -> float:
    """Returns the traffic to everybody as a multiple of that to hotspots, over the run."""
    return float(np.mean(reading.victims_gbps) / np.mean(reading.contributors_gbps))
