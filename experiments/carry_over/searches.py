# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The campaigns: the same one on each fabric."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ccsim.policy import Profile
from experiments._common.search import DOCUMENT, lay_out, search
from experiments.carry_over.beds import Ground
from experiments.carry_over.carry import in_packet_times, on_link
from tuner.campaign.result import CampaignResult
from tuner.documents.profile import load_profile
from tuner.goals.metrics import Metrics

PUBLISHED = ("gran-2010", "gran-2012")
SEARCH_PLACES = 1
"""Seed of the hosts that a campaign measures; the comparison draws others."""
ASKED = 0.95
"""Part of what victims ask for that they must get."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """The result of one campaign on one fabric."""

    ground: Ground
    result: CampaignResult

    @property
    def name(self) -> str:
        return self.ground.name

    @property
    def profile(self) -> Profile | None:
        """Recommended; None if nothing kept the constraints."""
        recommended = self.result.recommended
        return None if recommended is None else on_link(recommended.confirmed.profile, self.ground)

    def trials(self) -> Iterator[tuple[Profile, Metrics]]:
        """Yields the profile and the metrics of each trial that was measured to the end."""
        for record in self.result.trials:
            if record.state == "complete" and record.evaluation is not None:
                profile = self.result.setup.space.profile(record.params, name=self.name)
                yield on_link(profile, self.ground), record.evaluation.metrics


def published(name: str) -> Profile:
    """A published profile with its delays in packet times."""
    return in_packet_times(load_profile(name))


def find(ground: Ground, folder: Path, *, trials: int | None, on_progress: Callable[[float], None]) -> Found:
    """Runs the campaign in `folder`, or continues with what is there. `trials`: instead of the document's."""
    lay_out(
        folder,
        Path(__file__).with_name(DOCUMENT),
        workloads={"workload": ground.workload(SEARCH_PLACES)},
        profiles={name: on_link(published(name), ground) for name in PUBLISHED},
    )
    changes: dict[str, Any] = {
        "name": ground.name,
        "constraints.victim_throughput.at_least": ASKED * ground.victim_gbps,
    }
    if trials is not None:
        changes["budget.trials"] = trials
    result = search(folder, changes=changes, devices=ground.devices, on_progress=on_progress)
    return Found(ground=ground, result=result)
