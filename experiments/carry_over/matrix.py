# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every profile on every fabric, in pairs: each replicate has hosts and a seed of its own, the same for all profiles."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any, NamedTuple, TypeAlias

from ccsim.policy import Profile
from experiments._common.runs import Run, read_all
from experiments.carry_over.beds import Ground
from tuner.campaign.replicates import Estimate, jackknife
from tuner.goals.metrics import Metrics

FIRST_PLACES = 101
"""Seed of the first replicate's hosts, which no campaign has measured."""
HELD = 0.95
"""Part of what victims ask for, and of what contributors get together without CC, that a good profile leaves them."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One profile on one fabric."""

    profile: Profile
    ground: Ground
    metrics: Sequence[Metrics]
    off: Sequence[Metrics]
    """Metrics of the same replicates without CC."""

    @cached_property
    def estimates(self) -> Mapping[str, Estimate]:
        """`victims`: what they get of what they ask for. `contributors`: what they get together, of what they get without CC, in
        pairs. `spread`: between the highest and the lowest contributor, in fair shares."""
        asked_gbps, share_gbps = self.ground.victim_gbps, self.ground.receive_gbps / self.ground.contributors

        def figures(chosen: Sequence[int]) -> dict[str, float]:
            here, off = [self.metrics[i] for i in chosen], [self.off[i] for i in chosen]
            return {
                "victims": _mean(here, "victim_throughput_gbps") / asked_gbps,
                "contributors": _mean(here, "contributor_total_gbps") / _mean(off, "contributor_total_gbps"),
                "spread": _mean(here, "spread_gbps") / share_gbps,
            }

        return jackknife(range(len(self.metrics)), figures)

    @property
    def victims(self) -> float:
        return self.estimates["victims"].value

    @property
    def contributors(self) -> float:
        return self.estimates["contributors"].value

    @property
    def cures(self) -> bool:
        """Victims have what they ask for."""
        return self.victims >= HELD

    @property
    def good(self) -> bool:
        """And contributors pay no more than a campaign allows them to."""
        return self.cures and self.contributors >= HELD

    def to_json(self) -> dict[str, Any]:
        return {
            "estimates": {name: estimate.to_json() for name, estimate in self.estimates.items()},
            "good": self.good,
            "profile": self.profile.to_dict(),
        }


class Key(NamedTuple):
    """A profile, and how it came to where it is measured."""

    profile: str
    way: str
    """A name of carry.py's; empty for OFF."""


OFF = Key("off", "")
RULE = "rule"
"""The way of profiles that come from no other fabric."""
RULE_TIMES = (1, 2, 4)
"""As many contributors as there are, and too many: what does headroom cost?"""


def rule_name(times: int) -> str:
    return RULE if times == 1 else f"{RULE} for {times} times as many"


Cells: TypeAlias = Mapping[tuple[Key, str], Cell]
"""Cells by profile and way, and by the fabric's name."""


def measure(
    wanted: Mapping[tuple[Key, Ground], Profile],
    *,
    off: Profile,
    replicates: int,
    workers: int | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> dict[tuple[Key, str], Cell]:
    """Measures all, and `off`, which has the key OFF, beside them."""
    grounds = list(dict.fromkeys(ground for _, ground in wanted))
    every = {**{(OFF, ground): off for ground in grounds}, **wanted}
    drawn = {(ground, i): ground.workload(FIRST_PLACES + i) for ground in grounds for i in range(replicates)}
    runs = {
        (name, ground.name, i): Run(workload=drawn[ground, i], profile=profile, model=ground.devices, seed=FIRST_PLACES + i)
        for (name, ground), profile in every.items()
        for i in range(replicates)
    }
    read = read_all(runs, lambda measurement: measurement.metrics, workers=workers, on_progress=on_progress)
    of = {(name, ground.name): [read[name, ground.name, i] for i in range(replicates)] for name, ground in every}
    return {
        (name, ground.name): Cell(profile=profile, ground=ground, metrics=of[name, ground.name], off=of[OFF, ground.name])
        for (name, ground), profile in every.items()
    }


def _mean(metrics: Sequence[Metrics], field: str) -> float:
    return fmean(getattr(one, field) for one in metrics)
