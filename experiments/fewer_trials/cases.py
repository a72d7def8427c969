# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The campaigns, the devices that each is run on, and the like fabrics on which an earlier campaign was run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tuner.documents.campaign import load_campaign

HOME = "its own devices"
HERE = Path(__file__).parent


@dataclass(frozen=True, kw_only=True)
class Like:
    """A workload on a like fabric, with what the campaign's document must have otherwise there."""

    workload: str
    changes: Mapping[str, Any]


LIKE: Mapping[str, Sequence[Like]] = {
    "scenario-1": (Like(workload="incast-6", changes={}), Like(workload="incast-8", changes={})),
    "fairness": (
        Like(workload="incast-6", changes={}),
        Like(workload="incast-8", changes={"hypervolume_reference.contributor_total": 29}),
    ),
    "tail-latency": (
        Like(workload="latency-6", changes={}),
        Like(workload="latency-8", changes={"hypervolume_reference.contributor_total": 27}),
    ),
    "incast-32": (Like(workload="incast-20", changes={"hypervolume_reference.contributor_total": 188}),),
}
"""By campaign: no fabric of another size or rate is among the campaigns' own."""


@dataclass(frozen=True, order=True)
class Case:
    """One campaign on one kind of devices."""

    campaign: str
    variant: str

    @property
    def devices(self) -> dict[str, Any]:
        """Settings of the simulated devices, by dotted name."""
        if self.variant == HOME:
            return {}
        settings = load_campaign(self.campaign)[0].variants[self.variant]
        return {path.removeprefix("model."): value for path, value in settings.items()}

    @property
    def label(self) -> str:
        return f"{self.campaign}, {self.variant}"


def cases(campaigns: Sequence[str]) -> list[Case]:
    """Every campaign on its own devices, and in every device variant of its document."""
    return [Case(name, variant) for name in campaigns for variant in (HOME, *load_campaign(name)[0].variants)]
