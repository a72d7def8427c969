# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The packaged campaign on scenario 1, from several seeds; each search is repeatable to the last digit.

For that, its trials are measured one after the other, and neither time nor a slow machine ends it. They begin with gran-2010
alone: what a suggestion adds is another question. What is recommended is the best for the campaign's own devices, even if it is
lost in a variant. The searches themselves run at once, each in a thread.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments._common.search import search_in
from experiments._common.side_by_side import side_by_side
from tuner.campaign.prepare import prepare
from tuner.campaign.result import CampaignResult
from tuner.documents.campaign import load_campaign

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
    should_stop: Callable[[], bool] = lambda: False,
) -> CampaignResult:
    """One campaign, kept in a file of `folder`. `changes`: to its document, by dotted path. Raises as run_campaign."""
    document = {**REPEATABLE, "backend": backend, **(changes or {})}
    setup = prepare(*load_campaign(CAMPAIGN, document, seed=seed))
    file = folder / f"{backend}-{seed}.sqlite3"
    return search_in(file, setup, owner=f"experiment, search {seed}", on_progress=on_progress, should_stop=should_stop)


def search_all(
    folder: Path,
    seeds: Sequence[int],
    *,
    changes: Mapping[str, Any] | None = None,
    workers: int | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> dict[int, CampaignResult]:
    """Runs the searches and returns their results by seed. `workers`: searches at once, by default one for each processor."""

    def one(seed: int, told: Callable[[float], None], should_stop: Callable[[], bool]) -> CampaignResult:
        return search(folder, seed, changes=changes, on_progress=told, should_stop=should_stop)

    return dict(zip(seeds, side_by_side(one, seeds, workers=workers, on_progress=on_progress), strict=True))
