# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Scenario 1 over CCTI_Timer and Marking_Rate, and the four readings of Paper III's Figs. 11 to 14."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from experiments._common.runs import Run
from experiments._common.shares import contributors, phase, treatment
from tuner.measuring.measurement import Measurement

# The distance between the thresholds goes with the carrier, as calibrated: 2 packets with a CNP for every mark, else the default.
CARRIERS: Mapping[str, Mapping[str, object]] = {
    "CNP, 20 us apart": {"ca.becn_carrier": "cnp", "ca.cnp_spacing_ns": 20_000},
    "CNP for every mark": {"ca.becn_carrier": "cnp", "ca.cnp_spacing_ns": 0, "switch.hysteresis_bytes": 2 * 2112},
    "ACK of 28 packets": {"ca.becn_carrier": "ack", "ca.ack_every_packets": 28},
    "ACK of 16 packets": {"ca.becn_carrier": "ack", "ca.ack_every_packets": 16},
}


@dataclass(frozen=True, kw_only=True)
class Grid:
    ccti_timers: Sequence[int]
    marking_rates: Sequence[int]
    carriers: Sequence[str] = tuple(CARRIERS)
    workload: str = "scenario-1"
    phase_s: float = 1.0
    """From one start of a contributor to the next: what counts for contributors that do not become fair."""


FULL = Grid(ccti_timers=(10, 30, 60, 100, 150, 300, 700, 2000), marking_rates=(0, 1, 3, 10, 30))
QUICK = Grid(
    ccti_timers=(10, 60, 150, 2000),
    marking_rates=(0, 1, 10),
    workload=str(Path(__file__).parent / "quick-starts.yaml"),
    phase_s=0.25,
)

Key = tuple[str, int, int]
"""Carrier, CCTI_Timer, Marking_Rate."""


def runs(grid: Grid, *, seed: int = 1) -> Mapping[Key, Run]:
    return {
        (carrier, timer, rate): Run(
            workload=grid.workload,
            profile="gran-2010",
            profile_settings={"ca.ccti_timer": timer, "switch.marking_rate": rate},
            model=CARRIERS[carrier],
            seed=seed,
        )
        for carrier, timer, rate in product(grid.carriers, grid.ccti_timers, grid.marking_rates)
    }


@dataclass(frozen=True, kw_only=True)
class Reading:
    """From the moment at which all four contributors are active, transient included, as in the paper."""

    victim_gbps: float
    contributor_total_gbps: float
    treatment_variation_gbps2: float
    spread_gbps: float
    settle_time_s: float | None
    """The worst of all starts of a contributor; None: not before the next start."""

    @classmethod
    def of(cls, measurement: Measurement) -> "Reading":
        order = contributors(measurement)
        window = phase(measurement, order[-1])
        difference = treatment(measurement)
        return cls(
            victim_gbps=float(window[0].mean()),
            contributor_total_gbps=float(window[order].sum(axis=0).mean()),
            treatment_variation_gbps2=float(difference.var()),
            spread_gbps=float(difference.mean()),
            settle_time_s=measurement.metrics.settle_time_s,
        )
