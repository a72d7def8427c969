# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign in a process of its own, for the tests to kill: CAMPAIGN STORAGE LOG TAKES_S [DASK_ADDRESS].

Dask's workers write a line `begins` for each trial, which then takes ten minutes: whenever the process is killed after that,
something is being measured.
"""

import functools
import sys
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from ccsim.policy import Profile
from tests.tuner.campaign.analytic import AnalyticBackend
from tuner.campaign.dask_workers import DaskWorkers
from tuner.campaign.prepare import prepare
from tuner.campaign.runner import run_campaign
from tuner.campaign.store import CampaignStore
from tuner.documents.campaign import load_campaign


class Lasting(AnalyticBackend):
    def apply(self, profile: Profile) -> str:
        if profile.name.startswith("small-"):
            self._takes_s = 600
            self._write("begins")
        return super().apply(profile)


def main(campaign: str, storage: str, log: str, takes_s: str, dask: str = "") -> None:
    setup = prepare(*load_campaign(Path(campaign)))
    open_backend = functools.partial(Lasting if dask else AnalyticBackend, Path(log), takes_s=float(takes_s))
    with ExitStack() as stack:
        workers = stack.enter_context(DaskWorkers(dask, setup.fabrics, idle_s=0.2)) if dask else None
        store = stack.enter_context(
            CampaignStore.open(storage, setup.campaign.name, identity=setup.identity(), objectives=setup.objectives)
        )
        run_campaign(setup, store, open_backend, workers=workers)


if __name__ == "__main__":
    main(*sys.argv[1:])
