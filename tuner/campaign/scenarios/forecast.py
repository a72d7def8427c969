# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Forecasts by balance and room in which scenarios a profile most likely fails; nothing is measured."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ccsim.policy import Profile
from tuner.campaign.scenarios.scenario import Scenario
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.suggest.ground import Ground, ground_of
from tuner.suggest.rule import balance_of, room_of


@dataclass(frozen=True)
class Forecast:
    """The worst hotspot of each scenario that has one, by the scenario's name."""

    grounds: Mapping[str, Ground]

    @classmethod
    def of(cls, scenarios: tuple[Scenario, ...], built: Mapping[str, BuiltFabric], settings: Mapping[str, Any]) -> "Forecast":
        """`settings`: of the campaign's own devices, by dotted name. A scenario whose hotspot cannot be known has no forecast."""
        grounds = {}
        for scenario in scenarios:
            workload = scenario.workload
            try:
                ground = ground_of([(built[workload.fabric], workload)], {**settings, **scenario.model})
            except BadInputError:
                continue
            if ground is not None:
                grounds[scenario.name] = ground
        return cls(grounds)

    def risk(self, profile: Profile, scenario: str) -> float:
        """Returns how much balance or room is short of 1, from 0 (neither is) to 1; 0 where nothing can be said."""
        ground, document = self.grounds.get(scenario), profile.to_dict()
        if ground is None:
            return 0.0
        if not document.get("enable", True):
            return 1.0
        if "ca" not in document or "switch" not in document or "cct" not in document:
            return 0.0
        short = 1 - balance_of(profile, ground.gap_ns, ground.notifier)
        if "link" in document:
            short = max(short, 1 - room_of(profile, ground.path.receive_gbps, ground.contributors))
        return min(1.0, max(0.0, short))
