# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What Paper III reads off its Figs. 11 to 14, as sentences that a grid of readings bears out or does not."""

from collections.abc import Mapping, Sequence

import numpy as np

from experiments._common.findings import Claim
from experiments.parameter_exploration.grid import Grid, Key, Reading

CURED_GBPS = 12.5
"""From here on the victim counts as cured; without CC it gets 2.2."""


def boundary(grid: Grid, readings: Mapping[Key, Reading], carrier: str, rate: int) -> int | None:
    """The smallest CCTI_Timer of the grid from which on the victim is cured; None if the largest is not enough."""
    cured = [timer for timer in grid.ccti_timers if readings[carrier, timer, rate].victim_gbps >= CURED_GBPS]
    sick = [timer for timer in grid.ccti_timers if timer not in cured]
    above = [timer for timer in cured if not sick or timer > max(sick)]
    return min(above, default=None)


def directions(grid: Grid, readings: Mapping[Key, Reading], carrier: str) -> list[Claim]:
    """The claims for one carrier. What README.md tells to fail is marked so."""
    timers, rates = grid.ccti_timers, grid.marking_rates
    every_mark = carrier == "CNP for every mark"
    victim = {timer: [readings[carrier, timer, rate].victim_gbps for rate in rates] for timer in timers}
    cured = [(t, r) for t in timers for r in rates if readings[carrier, t, r].victim_gbps >= CURED_GBPS]
    totals = [readings[carrier, t, r].contributor_total_gbps for t, r in cured]
    fairly_low = [t for t in timers if 50 <= t <= 200]
    variation = {
        t: float(np.mean([readings[carrier, t, r].treatment_variation_gbps2 for r in rates if (t, r) in cured] or [0.0]))
        for t in (*fairly_low, timers[-1])
    }
    low, high = float(np.mean([variation[t] for t in fairly_low])), variation[timers[-1]]
    boundaries = [boundary(grid, readings, carrier, rate) for rate in rates]
    widest = max(_range(gbps) for gbps in victim.values())

    def settle_s(timer: int, rate: int) -> float:
        settled = readings[carrier, timer, rate].settle_time_s
        return grid.phase_s if settled is None else settled

    usual = max(fairly_low)
    both = [rate for rate in rates if (usual, rate) in cured and (timers[-1], rate) in cured]
    settle = {timer: [settle_s(timer, rate) for rate in both] for timer in (usual, timers[-1])}
    slow = sum(s >= 0.25 * grid.phase_s for s in settle[timers[-1]])
    return [
        Claim(
            sentence=f"{carrier}: at CCTI_Timer {timers[0]} the victim suffers at any Marking_Rate (Fig. 11)",
            published="low below about 150",
            here=_span(victim[timers[0]], "Gb/s"),
            holds=max(victim[timers[0]]) < CURED_GBPS,
            known_to_fail=every_mark,
        ),
        Claim(
            sentence=f"{carrier}: cured from this CCTI_Timer on, by Marking_Rate {', '.join(map(str, rates))} (Fig. 11)",
            published="about 150, any rate",
            here=", ".join("never" if b is None else f"{b}" for b in boundaries),
            holds=all(b is not None for b in boundaries),
        ),
        Claim(
            sentence=f"{carrier}: at CCTI_Timer {timers[-1]} the victim depends less on Marking_Rate than elsewhere (Fig. 11)",
            published="less and less",
            here=f"{_range(victim[timers[-1]]):.2f} against {widest:.2f} Gb/s",
            holds=_range(victim[timers[-1]]) < 0.5 and _range(victim[timers[-1]]) <= widest,
        ),
        Claim(
            sentence=f"{carrier}: the contributors' total varies little where the victim is cured (Fig. 12)",
            published="very little",
            here=_span(totals, "Gb/s") if totals else "it is never cured",
            holds=bool(totals) and min(totals) >= 0.93 * max(totals),
        ),
        Claim(
            sentence=f"{carrier}: treatment variation is larger at CCTI_Timer {timers[-1]} than from 50 to 200 (Fig. 14)",
            published="grows",
            here=f"{high:.3f} against {low:.3f} Gb²/s²",
            holds=high > 1.2 * low,
        ),
        Claim(
            sentence=f"{carrier}: contributors become fair later at CCTI_Timer {timers[-1]} than at {usual} (Fig. 13)",
            published="later",
            here=f"{_times(settle[timers[-1]])} against {_times(settle[usual])} s",
            holds=sum(settle[timers[-1]]) > 1.5 * sum(settle[usual]),
        ),
        Claim(
            sentence=f"{carrier}: at CCTI_Timer {timers[-1]} they need a good part of the time between starts (Fig. 13)",
            published="all of it",
            here=f"a quarter or more at {slow} of {len(both)} Marking_Rates",
            holds=slow >= max(1, len(both) / 2),
            known_to_fail=carrier != "CNP, 20 us apart",
        ),
    ]


def _range(values: Sequence[float]) -> float:
    return max(values) - min(values)


def _times(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.2f}" for value in values)


def _span(values: Sequence[float], unit: str) -> str:
    return f"{min(values):.2f} to {max(values):.2f} {unit}"
