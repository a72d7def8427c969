# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The campaigns, the same one on each fabric, and the trials of each that are measured again."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ccsim.policy import Profile
from experiments._common.search import DOCUMENT, lay_out, search
from experiments.carry_over.searches import published as in_packet_times
from experiments.ten_fabrics.ground import Ground
from tuner.campaign.record import TrialRecord
from tuner.campaign.result import CampaignResult

PUBLISHED = ("gran-2010", "gran-2012")
SEARCH_PLACES = 1
"""Seed of the hosts that a campaign measures."""
FINALISTS = 4


@dataclass(frozen=True, kw_only=True)
class Found:
    """The result of one campaign on one fabric."""

    ground: Ground
    result: CampaignResult

    def finalists(self) -> Mapping[str, Profile]:
        """Returns the trials that may be the best one, by a name: of those that kept the constraint in the search those with the
        most victims' throughput, and the recommended one. Empty if none kept it."""
        records = sorted((record for record in self.result.trials if record.feasible), key=_worth, reverse=True)[:FINALISTS]
        recommended = self.result.recommended
        if recommended is not None and recommended.record.number not in {record.number for record in records}:
            records.append(recommended.record)
        return {f"trial {record.number}": self._profile(record) for record in records}

    def _profile(self, record: TrialRecord) -> Profile:
        return self.result.setup.space.profile(record.params, name=f"{self.ground.name}, trial {record.number}")


def published(name: str, ground: Ground) -> Profile:
    """A published profile with its delays in packet times, on the fabric's link."""
    link = {"link.rate_gbps": ground.receiver.rate_gbps, "link.mtu_bytes": ground.receiver.mtu_bytes}
    return in_packet_times(name).with_settings(link)


def find(
    ground: Ground,
    folder: Path,
    *,
    trials: int | None,
    on_progress: Callable[[float], None],
    should_stop: Callable[[], bool] = lambda: False,
) -> Found:
    """Runs the campaign in `folder`, or continues with what is there. `trials`: instead of the document's. Raises as search."""
    lay_out(
        folder,
        Path(__file__).with_name(DOCUMENT),
        workloads={"workload": ground.workload(SEARCH_PLACES)},
        profiles={name: published(name, ground) for name in PUBLISHED},
    )
    changes: dict[str, Any] = {"name": ground.name}
    if trials is not None:
        changes["budget.trials"] = trials
    result = search(folder, changes=changes, devices=ground.devices(), on_progress=on_progress, should_stop=should_stop)
    return Found(ground=ground, result=result)


def _worth(record: TrialRecord) -> tuple[float, float]:
    """Victims' throughput; of equals contributors' total decides."""
    return to_three_digits(record.values["victim_throughput"]), record.values["contributor_total"]


def to_three_digits(gbps: float) -> float:
    """Cured victims get what they ask for, but for the last digits: those are not to decide."""
    return float(f"{gbps:.3g}")
