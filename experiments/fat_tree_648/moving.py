# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Moving silent trees, section V-C: all hotspots move at once, every 10, 2 or 1 milliseconds."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from experiments._common.findings import Claim, Table
from experiments._common.reference import reference
from experiments._common.runs import Run
from experiments.fat_tree_648.bed import SMALL_CCT, devices, forest, run
from experiments.fat_tree_648.reading import Reading

# Time for which the hotspots stay, and length of a run in which they do, in seconds.
LIFETIMES_S: Mapping[float, float] = {0.01: 0.04, 0.002: 0.02, 0.001: 0.02}
STATES: Mapping[str, tuple[bool, Mapping[str, object]]] = {
    "CC off": (False, {}),
    "CC on": (True, {}),
    "CC on, CCT for 65": (True, SMALL_CCT),
}


def runs(fabric: str, seeds: Sequence[int]) -> dict[tuple[Any, ...], Run]:
    return {
        ("moving", lifetime_s, state, seed): run(
            forest(fabric, seed=seed, duration_s=duration_s, move_every_s=lifetime_s),
            cc=cc,
            seed=seed,
            model=devices(),
            settings=settings,
        )
        for lifetime_s, duration_s in LIFETIMES_S.items()
        for state, (cc, settings) in STATES.items()
        for seed in seeds
    }


def claims(read: Mapping[tuple[Any, ...], Reading], seeds: Sequence[int]) -> list[Claim]:
    gains = {lifetime_s: _gain(read, seeds, lifetime_s, "CC on") for lifetime_s in LIFETIMES_S}
    published = {lifetime_s: reference(f"fat_tree_648.moving_silent.{_ms(lifetime_s)}_ms.gain") for lifetime_s in LIFETIMES_S}
    small = {lifetime_s: _gain(read, seeds, lifetime_s, "CC on, CCT for 65") for lifetime_s in LIFETIMES_S}
    values = list(gains.values())
    return [
        Claim(
            sentence="moving trees: CC helps at every lifetime, and the less the shorter it is",
            published=_list(published),
            here=_list(gains),
            holds=values == sorted(values, reverse=True) and values[-1] > 0,
        ),
        Claim(
            sentence="moving trees: CC gains as much as in print",
            published=_list(published),
            here=_list(gains),
            holds=all(abs(gains[x] - published[x]) <= 0.1 + 0.25 * published[x] for x in LIFETIMES_S),
            known_to_fail=True,
        ),
        Claim(
            sentence="moving trees: with a CCT that acts more slowly the gain is nearer to print's",
            published=_list(published),
            here=_list(small),
            holds=all(abs(small[x] - published[x]) < abs(gains[x] - published[x]) for x in LIFETIMES_S),
        ),
    ]


def table(read: Mapping[tuple[Any, ...], Reading], seeds: Sequence[int]) -> Table:
    rows = []
    for lifetime_s in LIFETIMES_S:
        known = reference(f"fat_tree_648.moving_silent.{_ms(lifetime_s)}_ms")
        printed = [f"{known[key]}" if key in known else "" for key in ("cc_off_mbps", "cc_on_mbps")]
        here = [f"{_mean_mbps(read, seeds, lifetime_s, state):.0f}" for state in STATES]
        gains = [f"{_gain(read, seeds, lifetime_s, state):+.0%}" for state in list(STATES)[1:]]
        rows.append([f"{_ms(lifetime_s)} ms", *printed, f"{known['gain']:+.0%}", *here, *gains])
    print_columns = ["CC off, print", "CC on, print", "gain, print"]
    return Table(
        title="Moving silent trees: what all nodes receive on average (Mb/s, mean of the seeds)",
        columns=["lifetime", *print_columns, *STATES, "gain", "gain, CCT for 65"],
        rows=rows,
    )


def _mean_mbps(read: Mapping[tuple[Any, ...], Reading], seeds: Sequence[int], lifetime_s: float, state: str) -> float:
    return float(np.mean([read["moving", lifetime_s, state, seed].mean_gbps for seed in seeds])) * 1e3


def _gain(read: Mapping[tuple[Any, ...], Reading], seeds: Sequence[int], lifetime_s: float, state: str) -> float:
    return _mean_mbps(read, seeds, lifetime_s, state) / _mean_mbps(read, seeds, lifetime_s, "CC off") - 1


def _list(gains: Mapping[float, float]) -> str:
    return ", ".join(f"{gain:+.0%} at {_ms(lifetime_s)} ms" for lifetime_s, gain in gains.items())


def _ms(lifetime_s: float) -> int:
    return round(lifetime_s * 1e3)
