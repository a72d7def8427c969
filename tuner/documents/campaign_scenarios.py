# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Scenarios of a campaign (`scenarios:`): what one profile is to serve, of which an administrator knows little."""

from typing import Annotated, Any

from pydantic import Field, model_validator

from tuner.document_base.model import DocumentModel, ListOf, Within, misplaced, unknown_name
from tuner.documents.campaign_rules import Variants
from tuner.documents.roles import MOST

MOST_SCENARIOS, MOST_PLACE = 500, 10**6
OWN = "own"
"""Name of the campaign's own devices among the models."""
VICTIMS_SHARE, CONTRIBUTORS_SHARE = 0.95, 0.96
"""Least shares that scenarios ask for: of what victims receive while the contributors are silent, and of what contributors
receive with CC off."""

_REGRET: dict[str, Any] = {
    "objectives": [
        {"objective": "victims_share", "over": "worst"},
        {"objective": "contributors_share", "over": "worst"},
        {"objective": "treatment_variation", "over": "worst"},
    ],
    "constraints": {"victims_share": {"at_least": VICTIMS_SHARE}, "contributors_share": {"at_least": CONTRIBUTORS_SHARE}},
    "hypervolume_reference": {"worst_victims_share": 0.5, "worst_contributors_share": 0.9, "worst_treatment_variation": 5.0},
}
"""What a campaign with scenarios improves and keeps, unless its document says otherwise: the worst case of each part of the
regret. A scenario is served where every constraint is kept."""


class ScenarioPoint(DocumentModel):
    """One scenario besides the combinations; what is left out is the campaign's own."""

    model: str = OWN
    """Name in `models`, or `own`."""
    contributors: Annotated[int, Within(1, MOST)] | None = None
    place: Annotated[int, Within(1, MOST_PLACE)] = 1
    """1: the first place; others are drawn by chance, with this number as the seed."""
    background: Annotated[float, Within(0, 1)] = 0.0
    slow_host: Annotated[float, Within(0, 1, above=True)] = 1.0
    slow_receiver: Annotated[float, Within(0, 1, above=True)] = 1.0


class PlacedRoles(DocumentModel):
    """Hosts that the roles of a workload were given. The service writes it, so that a later release chooses no others."""

    workload: Annotated[str, Field(min_length=1)]
    """Name of the workload."""
    contributors: Annotated[int, Within(1, MOST)] | None = None
    """Null: as many as the workload has."""
    place: Annotated[int, Within(1, MOST_PLACE)] = 1
    file: Annotated[str, Field(min_length=1)]
    """Workload whose flows are between these hosts."""


class Scenarios(DocumentModel):
    """Axes whose values are combined: each combination is a scenario, in which every profile is measured as far as it may still
    be the best. An axis that is left out has one value, the campaign's own."""

    models: Variants = Field(default_factory=dict)
    """Models of the devices by name, each with settings such as `model.ca.becn_carrier: ack`. The campaign's own devices, `own`,
    are one besides."""
    contributors: ListOf[Annotated[int, Within(1, MOST)]] = ()
    """Numbers of contributors; by default the workloads' own."""
    places: Annotated[int, Within(1, 100)] = 1
    """Number of places: first the hosts that the workload has or that suit its roles best, then others by chance."""
    background: ListOf[Annotated[float, Within(0, 1)]] = ()
    """Rates, as a part of what a host can send, at which hosts that play no role send to one another, in pairs by chance; by
    default 0."""
    slow_host: ListOf[Annotated[float, Within(0, 1, above=True)]] = ()
    """Parts of its fair share that the last contributor can send at most: a slow host. 1: it sends as the others do, which is the
    default."""
    slow_receiver: ListOf[Annotated[float, Within(0, 1, above=True)]] = ()
    """Parts of what it can receive that the host to which the contributors send takes at most: a slow receiver. 1: all of it, the
    default."""
    points: ListOf[ScenarioPoint] = ()
    """Scenarios besides the combinations, such as the worst find of a challenge."""
    placed: ListOf[PlacedRoles] = ()
    """Hosts that were chosen before; where one is missing, they are chosen now."""

    @model_validator(mode="after")
    def _axes_hold_something_once(self) -> "Scenarios":
        axes = {
            "contributors": self.contributors,
            "background": self.background,
            "slow_host": self.slow_host,
            "slow_receiver": self.slow_receiver,
        }
        for name, values in axes.items():
            if len(set(values)) != len(values):
                raise misplaced(f"scenarios.{name} lists one twice: {', '.join(f'{value:g}' for value in values)}", name)
        if OWN in self.models:
            raise misplaced(f"scenarios.models names '{OWN}', which stands for the campaign's own devices", "models", OWN)
        for number, point in enumerate(self.points):
            if point.model not in (OWN, *self.models):
                sentence = unknown_name("model of scenarios.points", point.model, [OWN, *self.models])
                raise misplaced(sentence, "points", number, "model")
            if point in self.points[:number]:
                raise misplaced(f"scenarios.points lists one twice: {point.model_dump(exclude_unset=True)}", "points", number)
            if self._combines(point):
                given = point.model_dump(exclude_unset=True)
                raise misplaced(f"scenarios.points lists {given}, which is one of the combinations anyway", "points", number)
        if self.size < 2:
            raise misplaced(
                "scenarios has one combination alone, the campaign's own; give models, several contributors, places, background, "
                "slow_host, slow_receiver or points",
                "models",
            )
        if self.size > MOST_SCENARIOS:
            raise misplaced(f"scenarios has {self.size} combinations; at most {MOST_SCENARIOS} are possible", "models")
        return self

    def _combines(self, point: ScenarioPoint) -> bool:
        return (
            point.contributors in (self.contributors or (None,))
            and point.place <= self.places
            and point.background in (self.background or (0.0,))
            and point.slow_host in (self.slow_host or (1.0,))
            and point.slow_receiver in (self.slow_receiver or (1.0,))
        )

    @property
    def size(self) -> int:
        """Number of scenarios of one workload: combinations and points."""
        axes = (self.contributors, self.background, self.slow_host, self.slow_receiver)
        counts = (len(self.models) + 1, self.places, *map(len, axes))
        product = 1
        for count in counts:
            product *= max(1, count)
        return product + len(self.points)


def with_regret(document: Any) -> Any:
    """Returns a campaign's document with the goals that scenarios have by default, where it has scenarios and names no
    objectives."""
    if not isinstance(document, dict) or not document.get("scenarios") or document.get("objectives"):
        return document
    missing = {key: value for key, value in _REGRET.items() if key not in document}
    return {**document, **missing}
