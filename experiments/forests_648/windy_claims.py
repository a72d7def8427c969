# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Claims on windy forests."""

from itertools import product

import numpy as np

from experiments._common.findings import Claim
from experiments.fat_tree_648.reading import Reading, spread
from experiments.forests_648.windy import AS_IT_IS, FROZEN, FROZEN_STATES, STRONGER, STUBBORN, Grid, Readings, tmax_gbps, turns

NOBODY = (100, 100)
"""x and p of the forest in which nobody sends to anything but hotspots, so that CC can only cost."""


def claims(grid: Grid, read: Readings) -> list[Claim]:
    return [
        _turns(grid, read),
        _costs(grid, read),
        _hotspots(grid, read),
        _below_tmax(grid, read),
        *_stronger(grid, read),
        _frozen(grid, read),
    ]


def _turns(grid: Grid, read: Readings) -> Claim:
    ratios = {p: [turns(r) / ((100 - p) / p) for r in grid.each(read, 100, p, cc=False)] for p in grid.p_percent if 0 < p < 100}
    all_of_them = [ratio for each in ratios.values() for ratio in each]
    worst = max(all_of_them, key=lambda ratio: abs(ratio - 1))
    return Claim(
        sentence="windy trees, CC off, x = 100 %: traffic to everybody is (1 - p) / p of that to hotspots, within 15 %",
        published="(1 - p) : p, Frame I",
        here=f"{min(all_of_them):.2f} to {max(all_of_them):.2f} times that for p from {min(ratios)} to {max(ratios)} %",
        holds=abs(worst - 1) <= 0.15,
    )


def _costs(grid: Grid, read: Readings) -> Claim:
    gains = {(x, p): grid.gains(read, x, p) for x, p in product(grid.x_percent, grid.p_percent) if (x, p) != NOBODY}
    means = {cell: float(np.mean(each)) for cell, each in gains.items()}
    x, p = max(means, key=means.__getitem__)
    return Claim(
        sentence="windy trees: CC costs total throughput nowhere where there is anything to gain",
        published="-",
        here=f"{min(min(each) for each in gains.values()):.2f} to {means[x, p]:.1f} times CC off, most at x = {x} %, p = {p} %",
        holds=min(min(each) for each in gains.values()) >= 0.99,
    )


def _hotspots(grid: Grid, read: Readings) -> Claim:
    kept = [
        on.hotspots_gbps / off.hotspots_gbps
        for x, p in product(grid.x_percent, grid.p_percent)
        for off, on in zip(grid.each(read, x, p, cc=False), grid.each(read, x, p, cc=True), strict=True)
        if off.hotspots_gbps and on.hotspots_gbps
    ]
    return Claim(
        sentence="windy trees: hotspots keep 95 % of what they get without CC",
        published="-",
        here=f"{min(kept):.1%} at least",
        holds=min(kept) >= 0.95,
    )


def _below_tmax(grid: Grid, read: Readings) -> Claim:
    """A B node sends later what it could not send: more than its part of the bus, never more than it was asked to."""
    parts = [
        r.non_hotspots_gbps / tmax_gbps(x, p)
        for x, p in product(grid.x_percent, grid.p_percent)
        for r in grid.each(read, x, p, cc=True)
        if (x, p) != NOBODY
    ]
    return Claim(
        sentence="windy trees, CC on: non-hotspots get no more than tmax",
        published="-",
        here=f"{min(parts):.0%} to {max(parts):.0%} of it",
        holds=max(parts) <= 1.02,
    )


def _stronger(grid: Grid, read: Readings) -> list[Claim]:
    settled = {
        name: (read["stronger", name] if settings else grid.each(read, *STUBBORN, cc=True)[0]).settled_total_gbps
        for name, settings in STRONGER.items()
    }
    return [
        Claim(
            sentence=f"windy trees, x = {STUBBORN[0]} %, p = {STUBBORN[1]} %: four times the CCTI_Timer or CCTI_Increase cures "
            "what is left",
            published="-",
            here="total of the last quarter, Gb/s: " + ", ".join(f"{name} {gbps:.0f}" for name, gbps in settled.items()),
            holds=all(gbps > 1.5 * settled[AS_IT_IS] for name, gbps in settled.items() if name != AS_IT_IS),
        )
    ]


def _frozen(grid: Grid, read: Readings) -> Claim:
    off = [read["frozen", "CC off", seed].settled_total_gbps for seed in grid.seeds]
    quarters = {
        name: [_quarters(read["frozen", name, seed]) for seed in grid.seeds]
        for name, settings in FROZEN_STATES.items()
        if settings is not None
    }
    return Claim(
        sentence=f"frozen devices, x = {FROZEN[0]} %, p = {FROZEN[1]} %: what CC brings at first is lost again within the slot",
        published="-",
        here="total in each quarter, Gb/s: "
        + "; ".join(
            f"{name} " + ", ".join(spread(list(at), 0) for at in zip(*each, strict=True)) for name, each in quarters.items()
        )
        + f"; CC off {spread(off, 0)}",
        holds=all(quarter[-1] < 0.5 * max(quarter) for each in quarters.values() for quarter in each),
    )


def _quarters(reading: Reading) -> list[float]:
    total = np.add(reading.victims_gbps, reading.contributors_gbps)
    return [float(part.mean()) for part in np.array_split(total, 4)]
