# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures every contender in every scenario of a goal, under a seed that no search had, and judges what each gets there."""

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ccsim.policy import Profile
from experiments._common.run_store import RunStore
from experiments._common.runs import Run, read_all
from experiments.robust.contenders import OFF, best_for, contenders
from experiments.robust.goals import Goal
from experiments.robust.searches import Found
from tuner.campaign.scenarios.scenario import Scenario
from tuner.campaign.scenarios.yardsticks import silent
from tuner.campaign.setup import Setup
from tuner.documents.campaign_scenarios import CONTRIBUTORS_SHARE, VICTIMS_SHARE
from tuner.goals.metrics import Metrics
from tuner.measuring.measurement import Measurement

FRESH = 2000
"""Added to a search's seed: neither the search nor its confirmation has measured with it."""
ALONE = "contributors silent"


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One profile in one scenario. Parts are of 1; None where there is nothing to compare."""

    goal: str
    seed: int
    profile: str
    scenario: str
    model: str
    contributors: int
    victims: float | None
    """What victims get, as Goal.victims."""
    victims_of_best: float | None
    """The same as a part of what the best profile for this model of the devices gives them here."""
    victims_of_alone: float | None
    """The same as a part of what they get while the contributors are silent."""
    contributors_of_off: float | None
    """What contributors get together, as a part of what they get with CC off."""
    variation_gbps2: float | None
    spread_gbps: float | None

    @property
    def short(self) -> float:
        """How far the worse of victims and contributors is below what is asked; at most 0 where both have that."""
        shares = ((self.victims_of_best, VICTIMS_SHARE), (self.contributors_of_off, CONTRIBUTORS_SHARE))
        return max((asked - share for share, asked in shares if share is not None), default=0.0)


@dataclass(frozen=True, kw_only=True)
class Compared:
    """All contenders of one goal from one seed."""

    goal: Goal
    seed: int
    profiles: Mapping[str, Profile]
    origin: str | None
    """What the recommended trial came from: `sampler`, or the name of a suggestion or a published profile."""
    cells: Sequence[Cell]

    def of(self, profile: str) -> list[Cell]:
        return [cell for cell in self.cells if cell.profile == profile]

    def worst(self, profile: str) -> Cell:
        """The scenario in which a profile is furthest below what is asked."""
        return max(self.of(profile), key=lambda cell: cell.short)

    def served(self, profile: str) -> int:
        return sum(cell.short <= 0 for cell in self.of(profile))


def compare(
    found: Found,
    folder: Path | None,
    *,
    workers: int | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> Compared:
    """`folder`: where finished runs are kept, and taken from. Raises as read_all."""
    profiles = contenders(found)
    read = measure(found.compared, profiles, found.seed + FRESH, folder, workers=workers, on_progress=on_progress)
    cells = [_cell(found, name, scenario, read) for name in profiles for scenario in found.compared.scenarios]
    origin = None if found.recommended is None else found.recommended[1]
    return Compared(goal=found.goal, seed=found.seed, profiles=profiles, origin=origin, cells=cells)


def measure(
    setup: Setup,
    profiles: Mapping[str, Profile],
    seed: int,
    folder: Path | None,
    *,
    workers: int | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> dict[tuple[str, str], Metrics]:
    """Returns the metrics by profile and scenario, at the length of the search; under ALONE those of victims without
    contributors, where there are victims."""
    runs = {
        (name, scenario.name): _run(setup, scenario, profile, seed)
        for name, profile in profiles.items()
        for scenario in setup.scenarios
    }
    for scenario in setup.scenarios:
        built = setup.built[scenario.workload.fabric]
        if any(flow.role == "victim" for flow in scenario.workload.expanded(built.hosts).flows):
            quiet = silent(scenario.workload.scaled(setup.campaign.time_scale), built)
            runs[ALONE, scenario.name] = replace(_run(setup, scenario, "off", seed), workload=quiet, time_scale=1.0)
    kept = RunStore.kept_in(folder, Metrics.to_json, lambda document: Metrics(**document))
    return read_all(runs, metrics_of, workers=workers, kept=kept, on_progress=on_progress)


def metrics_of(measurement: Measurement) -> Metrics:
    return measurement.metrics


def write_rows(compared: Sequence[Compared], file: Path) -> None:
    """Writes a line of CSV for each profile in each scenario."""
    columns = list(Cell.__dataclass_fields__)
    with file.open("w", encoding="utf-8", newline="") as text:
        rows = csv.writer(text)
        rows.writerow(columns)
        rows.writerows([getattr(cell, column) for column in columns] for comparison in compared for cell in comparison.cells)


def _run(setup: Setup, scenario: Scenario, profile: str | Profile, seed: int) -> Run:
    return Run(
        workload=scenario.workload,
        profile=profile,
        model={**setup.backend_settings, **scenario.model},
        seed=seed,
        time_scale=setup.campaign.time_scale,
    )


def _cell(found: Found, name: str, scenario: Scenario, read: Mapping[tuple[str, str], Metrics]) -> Cell:
    own, off = read[name, scenario.name], read[OFF, scenario.name]
    best, alone = read.get((best_for(scenario.point.model), scenario.name)), read.get((ALONE, scenario.name))
    victims = found.goal.victims(own)
    return Cell(
        goal=found.goal.name,
        seed=found.seed,
        profile=name,
        scenario=scenario.name,
        model=scenario.point.model,
        contributors=scenario.contributors,
        victims=victims,
        victims_of_best=None if best is None else _part(victims, found.goal.victims(best)),
        victims_of_alone=None if alone is None else _part(victims, found.goal.victims(alone)),
        contributors_of_off=_part(own.contributor_total_gbps, off.contributor_total_gbps),
        variation_gbps2=own.treatment_variation_gbps2,
        spread_gbps=own.spread_gbps,
    )


def _part(value: float | None, whole: float | None) -> float | None:
    return None if value is None or not whole else value / whole
