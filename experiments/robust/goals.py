# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The table of goals: which campaign of ibcc's each is, and what its document has otherwise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tuner.documents.campaign import load_campaign
from tuner.documents.campaign_scenarios import CONTRIBUTORS_SHARE, VICTIMS_SHARE
from tuner.goals.metrics import Metrics

SEARCHED, FAN_IN = (2, 4, 8), tuple(range(2, 9))
"""Contributors to one host at a time: of the searches, and of the comparison, which looks between them."""
FABRIC_OF_THE_CALLER = "fabric"
"""Stands in a goal's changes for the file that the caller gives."""
ACK, FLOW = {"model.ca.becn_carrier": "ack"}, {"model.ca.ccti_timer": "flow"}


@dataclass(frozen=True, kw_only=True)
class Goal:
    """A row. Searches and comparisons of a goal measure every profile in the same scenarios."""

    name: str
    campaign: str
    """A campaign of ibcc's, whose space, base and expert are searched."""
    changes: Mapping[str, Any]
    """Values that replace those of the campaign's document, by dotted key."""
    models: Mapping[str, Mapping[str, Any]] = field(
        default_factory=lambda: {"becns-on-acknowledgements": ACK, "one-timer-a-flow": FLOW}
    )
    """Models of the devices besides the campaign's own."""
    searched: Sequence[int] = SEARCHED
    """Numbers of contributors in the searches; empty: the workload's own, where its roles have none to count."""
    compared: Sequence[int] = FAN_IN
    """The same in the comparison."""
    trials: int = 40
    published: Sequence[str] = ("gran-2010", "gran-2012")
    """Profiles of ibcc's that are compared besides the campaign's expert; those for the same links."""
    by_latency: bool = False
    """Victims are those who wait: what they get is the reciprocal of the 99th percentile of their round trips."""

    def victims(self, metrics: Metrics) -> float | None:
        """What victims get, the more the better: Gb/s, or answers a microsecond."""
        if not self.by_latency:
            return metrics.victim_throughput_gbps
        return None if not metrics.round_trip_p99_us else 1 / metrics.round_trip_p99_us

    @property
    def needs_fabric(self) -> bool:
        return self.changes.get("fabric") == FABRIC_OF_THE_CALLER


def _worst(*objectives: str) -> list[dict[str, str]]:
    return [{"objective": objective, "over": "worst"} for objective in objectives]


_CONTRIBUTORS = {"contributors_share": {"at_least": CONTRIBUTORS_SHARE}}
_SHARES = {"victims_share": {"at_least": VICTIMS_SHARE}, **_CONTRIBUTORS}
_WIDE = load_campaign("any-devices")[0].model_dump(mode="json", exclude_unset=True)["space"]
"""The space of any-devices, for the other goals on its fabric: fan-in and models ask for longer timers than one scenario does."""

_REGRET = {
    "objectives": _worst("victims_share", "contributors_share", "treatment_variation"),
    "constraints": _SHARES,
    "hypervolume_reference": {"worst_victims_share": 0.5, "worst_contributors_share": 0.9, "worst_treatment_variation": 5.0},
}

GOALS: Mapping[str, Goal] = {
    goal.name: goal
    for goal in (
        Goal(name="scenario-1", campaign="any-devices", changes={"time_scale": 0.1}, trials=80),
        Goal(
            name="tail-latency",
            campaign="tail-latency",
            by_latency=True,
            trials=80,
            changes={
                "time_scale": 2.0,
                "fabric": "two-switch-16",
                "space": _WIDE,
                "objectives": _worst("tail_latency", "contributors_share"),
                "constraints": _CONTRIBUTORS,
                "hypervolume_reference": {"worst_tail_latency": 1000.0, "worst_contributors_share": 0.9},
            },
        ),
        Goal(
            name="fairness",
            campaign="fairness",
            trials=60,
            changes={
                "fabric": "two-switch-16",
                "space": _WIDE,
                "time_scale": 0.1,
                "objectives": _worst("spread", "contributors_share"),
                "constraints": _SHARES,
                "hypervolume_reference": {"worst_spread": 5.0, "worst_contributors_share": 0.9},
            },
        ),
        Goal(
            name="incast-32",
            campaign="incast-32",
            models={
                "cnps-in-packet-times": {"model.ca.cnp_spacing_ns": 1600},
                "becns-on-acknowledgements": ACK,
                "one-timer-a-flow": FLOW,
            },
            searched=(2, 8, 32),
            compared=(*FAN_IN, 32),
            published=("gran-2010-400g",),
            changes={"time_scale": 1.5, **_REGRET, "hypervolume_reference.worst_treatment_variation": 2000.0},
        ),
        Goal(
            name="director",
            campaign="protect-a-victim",
            published=("gran-2010", "gran-2010-400g"),
            changes={"fabric": FABRIC_OF_THE_CALLER, **_REGRET, "hypervolume_reference.worst_treatment_variation": 2000.0},
        ),
        Goal(
            name="forests-648",
            campaign="forests-648",
            searched=(),
            compared=(),
            changes={"time_scale": 0.5, **_REGRET, "hypervolume_reference.worst_treatment_variation": 200.0},
        ),
        Goal(
            name="incast-32-dcqcn",
            campaign="incast-32-dcqcn",
            models={name: dict(settings) for name, settings in load_campaign("incast-32-dcqcn")[0].variants.items()},
            searched=(2, 8, 32),
            compared=(*FAN_IN, 32),
            published=("hpcc-dcqcn-400g",),
            changes={"time_scale": 0.5, **_REGRET, "hypervolume_reference.worst_treatment_variation": 2000.0},
        ),
    )
}
"""The goals of the experiment by name; the cheapest is the first."""
