# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The searches: earlier ones on like fabrics, long ones without any help, and short ones with all of it.

Each is kept in a file, and repeatable to the last digit: its trials are measured one after the other, and only their number ends
it. Searches that are compared have the same seeds, so that the same profile has the same values in both.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from experiments._common.run import never
from experiments._common.search import search_in
from experiments.fewer_trials.cases import HERE, LIKE, Case
from tuner.campaign.prepare import prepare
from tuner.campaign.result import CampaignResult
from tuner.documents.campaign import load_campaign

EARLIER_SEED = 7
"""None of those that are compared: trials are measured with it and the next."""
CONFIRMATION_SCALE = 0.25
"""A campaign confirms what it found; here that is one profile, once and briefly, as only the searches are compared."""


def earlier(case: Case, folder: Path, *, trials: int, should_stop: Callable[[], bool] = never) -> list[Path]:
    """Runs the campaign on each like fabric, as people run one there today, and returns the files."""
    files = []
    for like in LIKE[case.campaign]:
        changes = {
            "workloads": [str(HERE / f"{like.workload}.yaml")],
            "time_scale": 1,
            "name": f"{case.campaign}, {like.workload}",
        }
        file = folder / f"{_stem(case)}-{like.workload}.sqlite3"
        _search(case, file, EARLIER_SEED, {**changes, **like.changes, "budget.trials": trials}, should_stop)
        files.append(file)
    return files


def long(case: Case, folder: Path, seed: int, *, trials: int, should_stop: Callable[[], bool] = never) -> CampaignResult:
    """Searches with neither a suggestion nor a warm start."""
    changes = {"suggestion": False, "budget.trials": trials}
    return _search(case, folder / f"{_stem(case)}-{seed}-long.sqlite3", seed, changes, should_stop)


def short(
    case: Case, folder: Path, seed: int, *, trials: int, warm: list[Path], should_stop: Callable[[], bool] = never
) -> CampaignResult:
    """Searches with a suggestion, and with a warm start from those files."""
    changes = {"warm_start": [str(file) for file in warm], "budget.trials": trials}
    return _search(case, folder / f"{_stem(case)}-{seed}-short.sqlite3", seed, changes, should_stop)


def _stem(case: Case) -> str:
    return f"{case.campaign}-{case.variant.replace(' ', '-')}"


def _search(case: Case, file: Path, seed: int, changes: Mapping[str, Any], should_stop: Callable[[], bool]) -> CampaignResult:
    document = {"budget.time_s": 360_000, "parallel": 1, "confirmation.front": 1, "variants": {}, **changes}
    document |= {"confirmation.seeds": [seed + 1000], "confirmation.time_scale": CONFIRMATION_SCALE}
    campaign, source = load_campaign(case.campaign, {**document, **_seeds(case, seed)})
    setup = prepare(campaign, source, backend_settings=case.devices)
    return search_in(file, setup, should_stop=should_stop)


def _seeds(case: Case, seed: int) -> dict[str, Any]:
    """The sampler's, and the measurements'; --seed would give the confirmation five."""
    count = len(load_campaign(case.campaign)[0].seeds)
    return {"sampler.seed": seed, "seeds": [seed + i for i in range(count)]}
