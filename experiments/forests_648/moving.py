# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Moving forests, section V-C: all hotspots move at once, every 10 to 1 milliseconds, in a time slot of 0.1 s."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from experiments._common.bands import Panel, bands
from experiments._common.findings import Claim, Table
from experiments._common.reference import reference, within
from experiments._common.runs import Run
from experiments.fat_tree_648.bed import DURATION_S, devices, forest, run
from experiments.fat_tree_648.reading import spread
from experiments.forests_648.windy import QUICK_S, STATES, Readings

PUBLISHED = "20 % V nodes"
FORESTS: Mapping[str, Mapping[str, object]] = {
    PUBLISHED: {"c_percent": 80},
    "60 % V nodes": {"c_percent": 40},
    "B nodes, p = 30 %": {"b_percent": 100, "p_percent": 30},
    "B nodes, p = 60 %": {"b_percent": 100, "p_percent": 60},
    "B nodes, p = 90 %": {"b_percent": 100, "p_percent": 90},
}
"""Keys of the pattern `hotspots`. In the first two all others are C nodes; in the rest there are B nodes only."""


@dataclass(frozen=True, kw_only=True)
class Moves:
    """The forests over the lifetime of hotspots, CC off and on."""

    lifetimes_ms: Sequence[int] = (10, 8, 6, 4, 2, 1)
    duration_s: float = DURATION_S
    seeds: Sequence[int] = (1, 2, 3)

    @classmethod
    def quick(cls) -> "Moves":
        return cls(lifetimes_ms=(10, 1), duration_s=QUICK_S, seeds=(1,))

    def runs(self, fabric: str) -> dict[tuple[Any, ...], Run]:
        return {
            ("moving", name, ms, cc, seed): run(
                forest(fabric, seed=seed, duration_s=self.duration_s, move_every_s=ms / 1e3, **pattern),
                cc=cc,
                seed=seed,
                model=devices(),
            )
            for (name, pattern), ms, cc, seed in product(FORESTS.items(), self.lifetimes_ms, STATES, self.seeds)
        }

    def rates(self, read: Readings, name: str, ms: int, *, cc: bool) -> list[float]:
        """Returns what all nodes receive on average, in Mb/s, of every seed."""
        return [read["moving", name, ms, cc, seed].mean_gbps * 1e3 for seed in self.seeds]

    def gains(self, read: Readings, name: str, ms: int) -> list[float]:
        """Returns the total with CC as a multiple of the total without, of every seed."""
        off, on = (self.rates(read, name, ms, cc=cc) for cc in (False, True))
        return [mine / its for its, mine in zip(off, on, strict=True)]

    def claims(self, read: Readings) -> list[Claim]:
        known = {ms: point for ms in self.lifetimes_ms if (point := _published(ms))}
        gains = {ms: self.gains(read, PUBLISHED, ms) for ms in self.lifetimes_ms}
        printed = {ms: 1 + point["gain"] for ms, point in known.items()}
        means = [float(np.mean(each)) for each in gains.values()]
        every = {(name, ms): self.gains(read, name, ms) for name, ms in product(FORESTS, self.lifetimes_ms)}
        least = min(min(each) for each in every.values())
        most = max(max(each) for each in every.values())
        off, on = (self.rates(read, PUBLISHED, 10, cc=cc) for cc in (False, True))
        return [
            Claim(
                sentence=f"moving trees, {PUBLISHED}: CC helps at every lifetime, and the less the shorter it is",
                published=", ".join(f"{gain - 1:+.0%} at {ms} ms" for ms, gain in printed.items()),
                here=", ".join(f"{gain - 1:+.0%} at {ms} ms" for ms, gain in zip(gains, means, strict=True)),
                holds=means == sorted(means, reverse=True) and min(min(each) for each in gains.values()) > 1,
            ),
            _rate(
                "10 ms, CC off", known[10]["cc_off_mbps"], off, within(float(np.mean(off)), known[10]["cc_off_mbps"], "collapsed")
            ),
            _rate(
                "10 ms, CC on",
                known[10]["cc_on_mbps"],
                on,
                within(float(np.mean(on)), known[10]["cc_on_mbps"]),
                known_to_fail=True,
            ),
            Claim(
                sentence=f"moving trees, {PUBLISHED}: total with CC over that without",
                published=", ".join(f"{gain:.2f} at {ms} ms" for ms, gain in printed.items()),
                here=", ".join(f"{np.mean(gains[ms]):.2f} at {ms} ms" for ms in printed),
                holds=all(within(float(np.mean(gains[ms])), printed[ms]) for ms in printed),
                known_to_fail=True,
            ),
            Claim(
                sentence="moving trees, of C and V or of B nodes: CC costs nothing at any lifetime",
                published="-",
                here=f"{least:.2f} to {most:.2f} times CC off",
                holds=least >= 0.99,
            ),
        ]

    def table(self, read: Readings) -> Table:
        rows = []
        for name, ms in product(FORESTS, self.lifetimes_ms):
            point = _published(ms) if name == PUBLISHED else {}
            printed = [f"{point[key]}" if key in point else "" for key in ("cc_off_mbps", "cc_on_mbps")]
            here = [spread(self.rates(read, name, ms, cc=cc), 0) for cc in STATES]
            gain = f"{1 + point['gain']:.2f}" if point else ""
            rows.append([name, f"{ms} ms", *printed, gain, *here, spread(self.gains(read, name, ms), 2)])
        return Table(
            title=f"Moving forests: what a node receives over {self.duration_s} s (Mb/s; mean of the seeds, and their range)",
            columns=["forest", "lifetime", "CC off, print", "CC on, print", "on / off, print", "CC off", "CC on", "on / off"],
            rows=rows,
        )

    def figures(self, read: Readings) -> dict[str, str]:
        """SVG by stem: two plots for each forest."""
        return {f"moving-{_stem(name)}": self._figure(read, name) for name in FORESTS}

    def _figure(self, read: Readings, name: str) -> str:
        rates = {state: {ms: self.rates(read, name, ms, cc=cc) for ms in self.lifetimes_ms} for cc, state in STATES.items()}
        known = {ms: point for ms in self.lifetimes_ms if name == PUBLISHED and (point := _published(ms))}
        points = {
            state: {ms: point[key] for ms, point in known.items() if key in point}
            for state, key in (("CC off", "cc_off_mbps"), ("CC on", "cc_on_mbps"))
        }
        gains = {ms: self.gains(read, name, ms) for ms in self.lifetimes_ms}
        return bands(
            [
                Panel(y_label="a node receives (Mb/s)", curves=rates, points=points if known else {}),
                Panel(
                    y_label="total with CC / without",
                    curves={"total": gains},
                    points={"total": {ms: 1 + point["gain"] for ms, point in known.items()}} if known else {},
                    level=1,
                ),
            ],
            x_label="hotspots stay (ms)",
            title=f"moving: {name}",
            key=f"moving-{_stem(name)}",
        )


def _published(ms: int) -> dict[str, float]:
    """Empty where print has no number."""
    found: dict[str, float] = reference("fat_tree_648.moving_silent").get(f"{ms}_ms", {})
    return found


def _rate(what: str, published: float, here: Sequence[float], holds: bool, *, known_to_fail: bool = False) -> Claim:
    return Claim(
        sentence=f"moving trees, {PUBLISHED}, {what}: what all nodes receive on average",
        published=f"{published} Mb/s",
        here=f"{spread(here, 0)} Mb/s ({np.mean(here) / published - 1:+.0%})",
        holds=holds,
        known_to_fail=known_to_fail,
    )


def _stem(name: str) -> str:
    """Letters and digits of a name, in words: `20-v-nodes`."""
    return "-".join("".join(c if c.isalnum() else " " for c in name.lower()).split())
