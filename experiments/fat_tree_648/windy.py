# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Windy forests, section V-B: x % of the nodes are B nodes, which send p % of their traffic to a hotspot."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from experiments._common.findings import Claim, Table
from experiments._common.heat_map import heat_map
from experiments._common.runs import Run
from experiments.fat_tree_648.bed import devices, forest, run
from experiments.fat_tree_648.reading import Reading
from tuner.goals.series import Series

X_PERCENT = (25, 50, 75, 100)
P_PERCENT = (0, 20, 40, 60, 80, 100)
QUICK_X, QUICK_P = (25, 100), (20, 60)
DURATION_S = 0.02
ALL = (100, 100)
"""Nobody sends to anything but hotspots: CC can only cost."""
STUBBORN = (100, 20)
"""More flows meet at a hotspot than BECNs can hold back, one each in a tick of the CCTI_Timer."""
AS_IT_IS = "as it is"
STRONGER: Mapping[str, Mapping[str, object]] = {
    AS_IT_IS: {},
    "CCTI_Timer 600": {"ca.ccti_timer": 600},
    "CCTI_Increase 4": {"ca.ccti_increase": 4},
}
"""Changes to the profile, which has a CCTI_Timer of 150 and a CCTI_Increase of 1."""


class Grid:
    """The totals of a grid over x and p, CC off and on."""

    def __init__(self, *, quick: bool) -> None:
        self.x_percent: Sequence[int] = QUICK_X if quick else X_PERCENT
        self.p_percent: Sequence[int] = QUICK_P if quick else P_PERCENT

    def runs(self, fabric: str, seed: int) -> dict[tuple[Any, ...], Run]:
        return {
            ("windy", x, p, cc): run(
                forest(fabric, seed=seed, duration_s=DURATION_S, b_percent=x, p_percent=p), cc=cc, seed=seed, model=devices()
            )
            for x, p, cc in product(self.x_percent, self.p_percent, (False, True))
        } | {
            ("windy", *STUBBORN, name): run(
                forest(fabric, seed=seed, duration_s=DURATION_S, b_percent=STUBBORN[0], p_percent=STUBBORN[1]),
                cc=True,
                seed=seed,
                model=devices(),
                settings=settings,
            )
            for name, settings in STRONGER.items()
        }

    def totals(self, read: Mapping[tuple[Any, ...], Reading], *, cc: bool) -> Series:
        """Shape (x, p), Gb/s."""
        return np.array([[read["windy", x, p, cc].total_gbps for p in self.p_percent] for x in self.x_percent])

    def gains(self, read: Mapping[tuple[Any, ...], Reading]) -> Series:
        """Returns the total with CC as a multiple of the total without."""
        gains: Series = self.totals(read, cc=True) / self.totals(read, cc=False)
        return gains

    def claims(self, read: Mapping[tuple[Any, ...], Reading]) -> list[Claim]:
        gains = self.gains(read)
        cells = product(enumerate(self.x_percent), enumerate(self.p_percent))
        others = [float(gains[i, j]) for (i, x), (j, p) in cells if (x, p) != ALL]
        hotspots = [
            (read["windy", x, p, True].hotspots_gbps or 0) / (read["windy", x, p, False].hotspots_gbps or 1)
            for x, p in product(self.x_percent, self.p_percent)
            if read["windy", x, p, True].hotspots_gbps is not None
        ]
        settled = {name: read["windy", *STUBBORN, name].settled_total_gbps for name in STRONGER}
        best = np.unravel_index(int(gains.argmax()), gains.shape)
        where = f"x = {self.x_percent[int(best[0])]} %, p = {self.p_percent[int(best[1])]} %"
        return [
            Claim(
                sentence="windy trees: CC costs total throughput nowhere where there is anything to gain",
                published="-",
                here=f"{min(others):.2f} to {max(others):.1f} times CC off, most at {where}",
                holds=min(others) >= 0.99,
            ),
            Claim(
                sentence="windy trees: hotspots keep 95 % of what they get without CC",
                published="-",
                here=f"{min(hotspots):.1%} at least",
                holds=min(hotspots) >= 0.95,
            ),
            Claim(
                sentence="windy trees, x = 100 %, p = 20 %: four times the CCTI_Timer or CCTI_Increase cures what is left",
                published="-",
                here="total of the last 5 ms, Gb/s: " + ", ".join(f"{name} {gbps:.0f}" for name, gbps in settled.items()),
                holds=all(gbps > 1.5 * settled[AS_IT_IS] for name, gbps in settled.items() if name != AS_IT_IS),
            ),
        ]

    def table(self, read: Mapping[tuple[Any, ...], Reading]) -> Table:
        rows = []
        for x, p in product(self.x_percent, self.p_percent):
            off, on = (read["windy", x, p, cc] for cc in (False, True))
            pairs = [
                [f"{r.hotspots_gbps:.2f}" if r.hotspots_gbps is not None else "" for r in (off, on)],
                [f"{r.non_hotspots_gbps:.3f}" for r in (off, on)],
                [f"{r.total_gbps:.0f}" for r in (off, on)],
            ]
            gain = f"{on.total_gbps / off.total_gbps:.2f}"
            rows.append([f"{x} %", f"{p} %", *(cell for pair in pairs for cell in pair), f"{on.settled_total_gbps:.0f}", gain])
        what = ["hotspots", "non-hotspots", "total"]
        return Table(
            title="Windy forests (Gb/s over 20 ms; settled: the last 5 ms)",
            columns=["x", "p", *(f"{w}, {state}" for w in what for state in ("off", "on")), "settled total, on", "on / off"],
            rows=rows,
        )

    def figure(self, read: Mapping[tuple[Any, ...], Reading]) -> str:
        """SVG: the gain by x and p."""
        return heat_map(
            self.gains(read),
            rows=self.x_percent,
            columns=self.p_percent,
            row_label="B nodes x (%)",
            column_label="of their traffic to a hotspot p (%)",
            title="total with CC / without",
            key="windy",
            digits=1,
            low=1.0,
        )
