# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One scenario: a workload on its hosts, and the devices that it runs on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tuner.campaign.scenarios.axes import Point
from tuner.documents.workload import Workload


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A scenario is measured as a workload of its name, with a model of the devices."""

    workload: Workload
    """Placed; its name is the scenario's."""
    placed: Workload
    """The campaign's own workload with these contributors at this place, without background and without a slow host."""
    model: Mapping[str, Any]
    """Settings of the devices over the campaign's own, by dotted name without `model.`; empty: its own."""
    point: Point
    contributors: int
    """Fan-in: contributors that the workload has."""

    @property
    def name(self) -> str:
        """Unique in the campaign: `own devices, 4 contributors`."""
        return self.workload.name

    def to_json(self) -> dict[str, Any]:
        return {"workload": self.workload.model_dump(mode="json"), "model": dict(self.model), **self.point.as_stored()}


def models_of(scenarios: Sequence[Scenario]) -> dict[str, Mapping[str, Any]]:
    """Returns the settings of the devices by scenario, for a plan; only where there are some."""
    return {scenario.name: scenario.model for scenario in scenarios if scenario.model}
