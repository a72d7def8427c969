# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a campaign found in its scenarios: which profile serves which, and what each further scenario costs."""

from collections.abc import Mapping
from dataclasses import dataclass

from tuner.campaign.evaluation import Evaluation
from tuner.campaign.scenarios.scenario import Scenario
from tuner.measuring.configuration import Configuration


@dataclass(frozen=True, kw_only=True)
class Row:
    """One profile in all scenarios, with fresh seeds."""

    origin: str
    """`trial 7`, or the name of a published profile."""
    trial: int | None
    configuration: Configuration
    evaluation: Evaluation
    """Its workloads are scenarios; those that are missing were not measured."""
    broken: Mapping[str, tuple[str, ...]]
    """By scenario that was measured the constraints that are broken there; none where it is served."""
    worst: Mapping[str, float]
    """Value of each objective over the scenarios that are served; empty where none is."""

    @property
    def served(self) -> int:
        return sum(not names for names in self.broken.values())

    @property
    def lost(self) -> tuple[str, ...]:
        """Scenarios that were measured and are not served."""
        return tuple(name for name, names in self.broken.items() if names)


@dataclass(frozen=True, kw_only=True)
class Price:
    """The profile of the search that leaves contributors most in the scenarios that are easiest to serve."""

    scenarios: tuple[str, ...]
    """The easiest ones, in the order of difficulty: each price has one more than the one before."""
    trial: int | None
    """None: no trial that was measured in all of them serves them."""
    worst: Mapping[str, float]
    """Value of each objective over these scenarios."""


@dataclass(frozen=True, kw_only=True)
class Effort:
    """Cost of the search in scenarios."""

    runs: int
    """Runs of trials that were made."""
    runs_without_race: int
    """Runs that the same trials have when each is measured in all scenarios."""
    packet_hops: int
    reference_runs: int
    """Runs of the yardsticks and of the expert."""


@dataclass(frozen=True, kw_only=True)
class ScenarioFindings:
    """The map, the prices, and the best for each model of the devices."""

    scenarios: tuple[Scenario, ...]
    required: tuple[str, ...]
    """Scenarios that the recommendation is to serve: all, or those of the campaign's own devices with `robust: false`."""
    recommended: Row | None
    """None: no profile serves any scenario."""
    expert: Row
    by_model: Mapping[str, Row]
    """The best profile for each model of the devices by its name; without those for which no profile serves a scenario."""
    tried: int
    """Trials that were measured in scenarios."""
    gentlest: Row | None = None
    """Where the recommendation misses a scenario by far: the profile whose worst scenario is the best, if it misses none so."""
    most: Row | None = None
    """What serves more scenarios than the recommendation, and misses some by far; None if nothing does."""
    prices: tuple[Price, ...] = ()
    """None where the search had no part in the scenarios: what the front costs there says little."""
    effort: Effort | None = None
    """The effort of the search; None where it had no part in the scenarios."""
