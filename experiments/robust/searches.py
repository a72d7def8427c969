# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Searches of one goal: the robust one over all models and fan-ins, and for each model one over fan-in alone.

Each is kept in a file and repeatable to the last digit: trials are measured one after the other, and only their number ends it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ccsim.policy import Profile
from experiments._common.run import never
from experiments._common.search import search_in
from experiments.robust.goals import FABRIC_OF_THE_CALLER, Goal
from tuner.campaign.prepare import prepare
from tuner.campaign.result import CampaignResult
from tuner.campaign.setup import Setup
from tuner.documents.campaign import load_campaign
from tuner.documents.campaign_scenarios import OWN
from tuner.errors import BadInputError

ROBUST = "robust"


@dataclass(frozen=True, kw_only=True)
class Found:
    """What the searches of one goal found from one seed."""

    goal: Goal
    seed: int
    asked: Setup
    """The robust search before it ran: what its store knows it by."""
    robust: CampaignResult
    singles: Mapping[str, CampaignResult]
    """The search over the fan-ins of each model; empty where the fan-in cannot be varied."""
    compared: Setup
    """Scenarios of the comparison."""

    @property
    def recommended(self) -> tuple[Profile, str] | None:
        """The robust search's recommendation, and what its trial came from; None where no trial serves any scenario."""
        picked = self.robust.recommended
        return None if picked is None else (picked.confirmed.profile, picked.record.origin)

    def best_for(self, model: str) -> Profile | None:
        """Returns the best profile for one model: that of its own search, or of the robust one without such a search."""
        if model in self.singles:
            picked = self.singles[model].recommended
            return None if picked is None else picked.confirmed.profile
        found = self.robust.scenarios
        row = None if found is None else found.by_model.get(model)
        return None if row is None else row.configuration.profile


def find(
    goal: Goal,
    seed: int,
    folder: Path,
    *,
    trials: int | None = None,
    fabric: Path | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
    should_stop: Callable[[], bool] = never,
) -> Found:
    """Runs the searches of a goal in `folder`, or continues with what is there.

    `trials`: of each search, instead of the goal's; `fabric`: the caller's, for goals that take one. Raises as run_campaign.
    """
    models = [OWN, *goal.models] if goal.searched else []
    parts, done = 1 + len(models), 0

    def search(name: str) -> CampaignResult:
        nonlocal done
        setup = setup_of(goal, seed, goal.searched, model=None if name == ROBUST else name, trials=trials, fabric=fabric)
        first, done = done, done + 1
        return search_in(
            stored_in(folder, goal, seed, name),
            setup,
            on_progress=lambda fraction: on_progress((first + fraction) / parts),
            should_stop=should_stop,
        )

    asked = setup_of(goal, seed, goal.searched, trials=trials, fabric=fabric)
    found, singles = search(ROBUST), {model: search(model) for model in models}
    compared = setup_of(goal, seed, goal.compared, trials=trials, fabric=fabric)
    return Found(goal=goal, seed=seed, asked=asked, robust=found, singles=singles, compared=compared)


def stored_in(folder: Path, goal: Goal, seed: int, name: str) -> Path:
    """Returns the file of a search: the robust one, or that for the model `name`."""
    return folder / goal.name / f"{seed}-{name}.sqlite3"


def setup_of(
    goal: Goal,
    seed: int,
    contributors: Sequence[int],
    *,
    model: str | None = None,
    trials: int | None = None,
    fabric: Path | None = None,
) -> Setup:
    """Returns a campaign over numbers of contributors; none: the workload's own. `model`: the only one that it looks at; None:
    all of them. Raises BadInputError."""
    changes = dict(goal.changes)
    if changes.get("fabric") == FABRIC_OF_THE_CALLER:
        if fabric is None:
            raise BadInputError(f"goal '{goal.name}' is for a fabric of your own; give one by --fabric FILE")
        changes["fabric"] = str(fabric)
    scenarios: dict[str, Any] = {"contributors": list(contributors)} if contributors else {}
    if model is None:
        scenarios["models"] = {name: dict(settings) for name, settings in goal.models.items()}
    changes |= {
        "name": f"{goal.name}, {ROBUST if model is None else model}",
        "variants": {},
        "scenarios": scenarios,
        "seeds": [seed],
        "sampler.seed": seed,
        "parallel": 1,
        "budget": {"trials": trials or goal.trials},
        "confirmation": {"seeds": [seed + 1000], "time_scale": changes.get("time_scale", 1), "front": 3},
    }
    settings = goal.models.get(model or OWN, {})
    devices = {path.removeprefix("model."): value for path, value in settings.items()}
    return prepare(*load_campaign(goal.campaign, changes), backend_settings=devices)
