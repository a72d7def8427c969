# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Conclusions that Paper III draws from its Figs. 11 to 14, as sentences that a grid of readings confirms or refutes."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from experiments._common.findings import Claim
from experiments.parameter_exploration.grid import Grid, Key, Reading

CURED_GBPS = 12.5
"""From here on the victim counts as cured; without CC it gets 2.2."""
ABOUT_150 = (75, 300)
"""CCTI_Timers between which the boundary of Fig. 11 must lie to be called that of print: a factor of 2."""

KNOWN_TO_FAIL: Mapping[str, Collection[str]] = {
    "CNP, 20 us apart": {"boundary", "whole"},
    "CNP for every mark": {"suffers", "boundary", "slow", "whole"},
    "ACK of 28 packets": {"boundary", "variation", "later", "slow", "whole"},
    "ACK of 16 packets": {"slow", "whole"},
}
"""Claims that README.md reports to fail on the full grid, by carrier."""


def boundary(grid: Grid, readings: Mapping[Key, Reading], carrier: str, rate: int) -> int | None:
    """The smallest CCTI_Timer of the grid from which on the victim is cured; None if the largest is not enough."""
    cured = [timer for timer in grid.ccti_timers if readings[carrier, timer, rate].victim_gbps >= CURED_GBPS]
    sick = [timer for timer in grid.ccti_timers if timer not in cured]
    above = [timer for timer in cured if not sick or timer > max(sick)]
    return min(above, default=None)


def directions(grid: Grid, readings: Mapping[Key, Reading], carrier: str) -> list[Claim]:
    """The claims for one carrier. What README.md tells to fail is marked so."""
    timers, rates = grid.ccti_timers, grid.marking_rates
    victim = {timer: [readings[carrier, timer, rate].victim_gbps for rate in rates] for timer in timers}
    cured = [(t, r) for t in timers for r in rates if readings[carrier, t, r].victim_gbps >= CURED_GBPS]
    totals = [readings[carrier, t, r].contributor_total_gbps for t, r in cured]
    fairly_low = [t for t in timers if 50 <= t <= 200]
    variation = {
        t: float(np.mean([readings[carrier, t, r].treatment_variation_gbps2 for r in rates if (t, r) in cured]))
        for t in (*fairly_low, timers[-1])
        if any((t, r) in cured for r in rates)
    }
    low, high = [variation[t] for t in fairly_low if t in variation], variation.get(timers[-1])
    boundaries = [boundary(grid, readings, carrier, rate) for rate in rates]
    widest = max(_range(gbps) for gbps in victim.values())

    def settle_s(timer: int, rate: int) -> float:
        settled = readings[carrier, timer, rate].settle_time_s
        return grid.phase_s if settled is None else settled

    usual = max(fairly_low)
    both = [rate for rate in rates if (usual, rate) in cured and (timers[-1], rate) in cured]
    settle = {timer: [settle_s(timer, rate) for rate in both] for timer in (usual, timers[-1])}
    whole = sum(s >= grid.phase_s for s in settle[timers[-1]])
    slow = sum(s >= 0.25 * grid.phase_s for s in settle[timers[-1]])

    def claim(name: str, sentence: str, published: str, here: str, holds: bool) -> Claim:
        known = name in KNOWN_TO_FAIL[carrier]
        return Claim(sentence=f"{carrier}: {sentence}", published=published, here=here, holds=holds, known_to_fail=known)

    return [
        claim(
            "suffers",
            f"at CCTI_Timer {timers[0]} the victim suffers at any Marking_Rate (Fig. 11)",
            "low below about 150",
            _span(victim[timers[0]], "Gb/s"),
            max(victim[timers[0]]) < CURED_GBPS,
        ),
        claim(
            "boundary",
            f"cured from a CCTI_Timer of about 150 on, at Marking_Rates {', '.join(map(str, rates))} (Fig. 11)",
            "about 150, at any rate",
            ", ".join("never" if b is None else f"{b}" for b in boundaries),
            all(b is not None and ABOUT_150[0] <= b <= ABOUT_150[1] for b in boundaries),
        ),
        claim(
            "depends less",
            f"at CCTI_Timer {timers[-1]} the victim depends less on Marking_Rate than elsewhere (Fig. 11)",
            "less and less",
            f"{_range(victim[timers[-1]]):.2f} against {widest:.2f} Gb/s",
            _range(victim[timers[-1]]) < 0.5 and _range(victim[timers[-1]]) <= widest,
        ),
        claim(
            "total",
            "the contributors' total varies little where the victim is cured (Fig. 12)",
            "very little",
            _span(totals, "Gb/s") if totals else "it is never cured",
            bool(totals) and min(totals) >= 0.93 * max(totals),
        ),
        claim(
            "variation",
            f"treatment variation is larger at CCTI_Timer {timers[-1]} than from 50 to 200, where the victim is cured (Fig. 14)",
            "grows",
            f"{high:.3f} against {np.mean(low):.3f} Gb²/s²" if high is not None and low else "it is cured at one of them at most",
            high is not None and bool(low) and high > 1.2 * float(np.mean(low)),
        ),
        claim(
            "later",
            f"contributors become fair later at CCTI_Timer {timers[-1]} than at {usual} (Fig. 13)",
            "later",
            f"{_times(settle[timers[-1]])} against {_times(settle[usual])} s"
            if both
            else "at no rate is the victim cured at both",
            sum(settle[timers[-1]]) > 1.5 * sum(settle[usual]),
        ),
        claim(
            "slow",
            f"at CCTI_Timer {timers[-1]} they need a good part of the time between starts (Fig. 13)",
            "slow",
            f"a quarter or more at {slow} of {len(both)} Marking_Rates",
            slow >= max(1, len(both) / 2),
        ),
        claim(
            "whole",
            f"at CCTI_Timer {timers[-1]} they need all of the time between starts (Fig. 13)",
            "all of it",
            f"all of it at {whole} of {len(both)} Marking_Rates",
            whole == len(both) > 0,
        ),
    ]


def _range(values: Sequence[float]) -> float:
    return max(values) - min(values)


def _times(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.2f}" for value in values)


def _span(values: Sequence[float], unit: str) -> str:
    return f"{min(values):.2f} to {max(values):.2f} {unit}"
