# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign inside an experiment: simulated, in a folder that holds its document and what that names."""

from collections.abc import Callable, Mapping
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
from tuner.measuring.options import BackendOptions

DOCUMENT = "campaign.yaml"


def search(
    folder: Path,
    *,
    changes: Mapping[str, Any],
    devices: Mapping[str, Any],
    workers: int | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> CampaignResult:
    """Runs the campaign of `folder`/campaign.yaml, or goes on with what an earlier run of the same one left there.

    `changes`: to the document, by dotted key. `devices`: settings of the simulated ones, by dotted key. `workers`: trials at
    once, instead of the document's. `on_progress` is told the part of the search that is done. Raises BadInputError.
    """
    chosen = dict(changes) if workers is None else {**changes, "parallel": workers}
    setup = prepare(*load_campaign(folder / DOCUMENT, chosen), backend_settings=devices)
    backend = BackendOptions(settings={f"model.{key}": value for key, value in devices.items()})
    with CampaignStore.open(
        folder / "campaign.sqlite3", setup.campaign.name, identity=setup.identity(), objectives=setup.objectives
    ) as store:
        return run_campaign(
            setup, store, lambda: create_backend(setup.campaign.backend, backend), listener=_Fraction(on_progress)
        )


class _Fraction(Silent):
    def __init__(self, on_progress: Callable[[float], None]) -> None:
        self._on_progress = on_progress

    def trial(self, record: TrialRecord, progress: Progress) -> None:
        self._on_progress(progress.finished / progress.total)
