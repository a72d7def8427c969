# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Challenges what the robust search recommends, as `ibcc campaign challenge` does: inside the region of what it serves."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from experiments._common.run import never
from experiments.robust.searches import ROBUST, Found, stored_in
from tuner.backends.registry import create_backend
from tuner.campaign.challenge.findings import Challenge
from tuner.campaign.challenge.run import RUNS, challenge
from tuner.campaign.store import CampaignStore
from tuner.errors import BadInputError
from tuner.measuring.options import BackendOptions

MOST_REGRET = 0.05
"""Part that victims or contributors may miss in the worst find, of what they get without one another or with CC off."""


@dataclass(frozen=True, kw_only=True)
class Challenged:
    """The challenge of one goal's recommendation from one seed."""

    goal: str
    seed: int
    found: Challenge | None
    """None: there is nothing to challenge."""
    why_not: str = ""

    @property
    def regret(self) -> float | None:
        """What victims or contributors miss in the worst find, whoever misses more; None where nothing was measured."""
        if self.found is None or self.found.worst is None:
            return None
        return max((1 - share for share in self.found.worst.shares.values()), default=0.0)


def challenged(
    found: Found,
    folder: Path,
    *,
    runs: int = RUNS,
    on_progress: Callable[[float], None] = lambda fraction: None,
    should_stop: Callable[[], bool] = never,
) -> Challenged:
    """`folder`: of the searches; what was measured is kept with the campaign there. Raises as challenge, but for a campaign that
    has nothing to challenge."""
    setup, name = found.asked, found.goal.name
    devices = {f"model.{key}": value for key, value in setup.backend_settings.items()}
    with CampaignStore.open(
        stored_in(folder, found.goal, found.seed, ROBUST),
        setup.campaign.name,
        identity=setup.identity(),
        former_identities=setup.former_identities(),
        outdated=setup.outdated,
        objectives=setup.objectives,
        mode="resume",
    ) as store:
        try:
            outcome = challenge(
                found.robust,
                store,
                lambda: create_backend("simulated", BackendOptions(settings=devices, profiles=setup.profiles)),
                runs=runs,
                seed=found.seed,
                should_stop=should_stop,
                on_progress=lambda done, most, worst: on_progress(done / most),
            )
        except BadInputError as error:
            return Challenged(goal=name, seed=found.seed, found=None, why_not=error.sentence)
    return Challenged(goal=name, seed=found.seed, found=outcome)
