# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The packaged campaign on scenario 1, from several seeds; each search is repeatable to the last digit.

For that, its trials are measured one after the other, and neither time nor a slow machine ends it. They begin with gran-2010
alone: what a suggestion adds is another question. What is recommended is the best for the campaign's own devices, even if it is
lost in a variant. The searches themselves run at once, each in a thread.
"""

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tuner.backends.registry import create_backend
from tuner.campaign.progress import Progress, Silent
from tuner.campaign.record import TrialRecord
from tuner.campaign.result import CampaignResult
from tuner.campaign.runner import run_campaign
from tuner.campaign.setup import prepare
from tuner.campaign.store import CampaignStore
from tuner.documents.campaign import load_campaign
from tuner.measuring.backend import Backend
from tuner.measuring.options import BackendOptions

CAMPAIGN = "scenario-1"
SEEDS = (10, 20, 30, 40, 50)
"""Seeds of the searches. Trials of search s are measured with seeds s and s + 1, and confirmed with s + 1000 to s + 1004: no two
searches share one."""
REPEATABLE: Mapping[str, Any] = {
    "budget.time_s": 36_000,
    "parallel": 1,
    "suggestion": False,
    "recommend.robust": False,
}


def search(
    folder: Path,
    seed: int,
    *,
    changes: Mapping[str, Any] | None = None,
    backend: str = "simulated",
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> CampaignResult:
    """One campaign, kept in a file of `folder`. `changes`: to its document, by dotted path. Raises as run_campaign."""
    document = {**REPEATABLE, "backend": backend, **(changes or {})}
    setup = prepare(*load_campaign(CAMPAIGN, document, seed=seed))

    def create(name: str, settings: Mapping[str, Any]) -> Backend:
        return create_backend(name, BackendOptions(settings=settings, owner=f"experiment, search {seed}"))

    with CampaignStore.open(
        folder / f"{backend}-{seed}.sqlite3", setup.campaign.name, identity=setup.identity(), objectives=setup.objectives
    ) as store:
        return run_campaign(setup, store, lambda: create(backend, {}), open_other=create, listener=_Fraction(on_progress))


def search_all(
    folder: Path,
    seeds: Sequence[int],
    *,
    changes: Mapping[str, Any] | None = None,
    workers: int | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> dict[int, CampaignResult]:
    """Runs the searches and returns their results by seed. `workers`: searches at once, by default one for each processor."""
    fractions, lock = dict.fromkeys(seeds, 0.0), threading.Lock()

    def one(seed: int) -> CampaignResult:
        def told(fraction: float) -> None:
            with lock:
                fractions[seed] = fraction
                on_progress(sum(fractions.values()) / len(fractions))

        return search(folder, seed, changes=changes, on_progress=told)

    with ThreadPoolExecutor(max_workers=workers or os.cpu_count()) as pool:
        return dict(zip(seeds, pool.map(one, seeds), strict=True))


class _Fraction(Silent):
    """Reports the fraction of the trials that are measured."""

    def __init__(self, on_progress: Callable[[float], None]) -> None:
        self._on_progress = on_progress

    def trial(self, record: TrialRecord, progress: Progress) -> None:
        self._on_progress(progress.finished / progress.total)
