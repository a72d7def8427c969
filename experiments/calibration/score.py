# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Judges a candidate by both scenarios under gran-2010, and by two points of Figs. 11 and 13."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from experiments._common.reference import reference
from experiments._common.runs import Run
from experiments._common.shares import contributors, phase, phase_means, worst_deviation
from experiments.calibration.candidates import ModelSettings
from tuner.measuring.measurement import Measurement

CC_OFF_TOTAL_GBPS = 13.3
"""Payload that H5 can receive; CC off uses all of it."""
LEAST_TOTAL = 0.97
"""The least total, as a part of CC_OFF_TOTAL_GBPS.

Print has a small penalty with two contributors and none with more; rates alone would allow 10 %."""
CC_OFF_SCENARIO_2_GBPS = 32 * 2048 / 2074 / 3
"""A third of what the link between the switches carries in payload."""


def runs(model: ModelSettings, *, quick: bool) -> Mapping[str, Run]:
    """The four runs of a candidate."""
    scale = 0.4 if quick else 1.0
    common: dict[str, Any] = {"workload": "scenario-1", "profile": "gran-2010", "model": model}
    return {
        "scenario 1": Run(**common, time_scale=scale),
        "scenario 2": Run(workload="scenario-2", profile="gran-2010", model=model, time_scale=0.4 * scale),
        "small timer": Run(**common, profile_settings={"ca.ccti_timer": 10, "switch.marking_rate": 0}, time_scale=0.2),
        "long timer": Run(**common, profile_settings={"ca.ccti_timer": 2000}, time_scale=0.5 * scale),
    }


@dataclass(frozen=True, kw_only=True)
class Score:
    victim_gbps: float
    """The lower one-second mean of those with three and with four contributors."""
    deviation: float
    """From equal shares, the larger of the two."""
    total: float
    """As a fraction of CC off, the smaller of the two."""
    pair_total: float
    """With two contributors only."""
    same_input_share: float
    """Part of the total that F2 and F3, which share an input of S2, get with four contributors; 0.5 is fair."""
    drop: float
    """Scenario 2."""
    sd_gbps: float
    """Scenario 2, over all flows' 10 ms samples."""
    victim_at_small_timer_gbps: float
    """CCTI_Timer 10 and Marking_Rate 0: the paper's Fig. 11 has the victim suffer there."""
    settle_at_long_timer_s: float | None
    """CCTI_Timer 2000, half a second from start to start; Fig. 13 has contributors unequal all that time. None: so do we."""

    @classmethod
    def of(cls, measured: Mapping[str, Measurement]) -> "Score":
        one, two = measured["scenario 1"], measured["scenario 2"]
        means = {count: phase_means(one, count) for count in (2, 3, 4)}
        shares = {count: means[count][contributors(one)[:count]] for count in (2, 3, 4)}
        small = measured["small timer"]
        flows = phase(two, 2, warmup_s=0.1)
        return cls(
            victim_gbps=float(min(means[count][0] for count in (3, 4))),
            deviation=max(worst_deviation(shares[count]) for count in (3, 4)),
            total=min(float(shares[count].sum()) for count in (3, 4)) / CC_OFF_TOTAL_GBPS,
            pair_total=float(shares[2].sum()) / CC_OFF_TOTAL_GBPS,
            same_input_share=float(shares[4][:2].sum() / shares[4].sum()),
            drop=1 - float(flows.mean()) / CC_OFF_SCENARIO_2_GBPS,
            sd_gbps=float(flows.std()),
            victim_at_small_timer_gbps=float(phase_means(small, len(small.flows) - 1)[0]),
            settle_at_long_timer_s=measured["long timer"].metrics.settle_time_s,
        )

    @property
    def failures(self) -> list[str]:
        """The conditions that every candidate must keep and this one breaks; empty: it is accepted."""
        one, two = reference("scenario_1.cc_on"), reference("scenario_2.cc_on")
        mean_gbps = CC_OFF_SCENARIO_2_GBPS * (1 - self.drop)
        conditions = {
            "victim": abs(self.victim_gbps - one["victim_gbps"]) <= one["victim_tolerance_gbps"],
            "shares": self.deviation <= one["equal_shares_tolerance"],
            "total": self.total >= LEAST_TOTAL,
            "mean": abs(mean_gbps / two["mean_gbps"] - 1) <= two["tolerance"],
        }
        return [name for name, kept in conditions.items() if not kept]

    @property
    def from_printed_drop(self) -> float:
        """Distance of scenario 2's loss from print's; it decides among accepted candidates that agree with both figures."""
        return abs(self.drop - float(reference("scenario_2.cc_on.drop")))

    @property
    def directions(self) -> int:
        """Number of Figs. 11 and 13 that it agrees with at the points tried; it decides among accepted candidates."""
        slow = self.settle_at_long_timer_s is None or self.settle_at_long_timer_s >= 0.25
        return int(self.victim_at_small_timer_gbps < 12.5) + int(slow)
