# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign inside an experiment: its folder, with the document and what that names, and its search."""

from collections.abc import Callable, Mapping
from pathlib import Path
from shutil import copy
from typing import Any

from ccsim.policy import Profile
from tuner.backends.registry import create_backend
from tuner.campaign.prepare import prepare
from tuner.campaign.progress import Progress, Silent
from tuner.campaign.record import TrialRecord
from tuner.campaign.result import CampaignResult
from tuner.campaign.runner import run_campaign
from tuner.campaign.setup import Setup
from tuner.campaign.store import CampaignStore
from tuner.documents.campaign import load_campaign
from tuner.documents.workload import Workload
from tuner.measuring.backend import Backend
from tuner.measuring.options import BackendOptions

DOCUMENT = "campaign.yaml"


def lay_out(
    folder: Path, document: Path, *, workloads: Mapping[str, Workload], profiles: Mapping[str, Profile] | None = None
) -> None:
    """Writes a campaign's folder: a copy of `document`, and the workloads and profiles that it names, by file stem."""
    folder.mkdir(parents=True, exist_ok=True)
    copy(document, folder / DOCUMENT)
    for name, profile in (profiles or {}).items():
        (folder / f"{name}.yaml").write_text(profile.to_yaml(), encoding="utf-8")
    for name, workload in workloads.items():
        (folder / f"{name}.yaml").write_text(workload.model_dump_json(exclude_none=True), encoding="utf-8")


def search(
    folder: Path,
    *,
    changes: Mapping[str, Any],
    devices: Mapping[str, Any],
    workers: int | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> CampaignResult:
    """Runs the campaign of `folder`/campaign.yaml as search_in does, in `folder`/campaign.sqlite3.

    `changes`: to the document, by dotted key. `devices`: settings of the simulated ones, by dotted key. `workers`: trials at
    once, instead of the document's.
    """
    chosen = dict(changes) if workers is None else {**changes, "parallel": workers}
    setup = prepare(*load_campaign(folder / DOCUMENT, chosen), backend_settings=devices)
    return search_in(folder / "campaign.sqlite3", setup, on_progress=on_progress, should_stop=should_stop)


def search_in(
    file: Path,
    setup: Setup,
    *,
    owner: str = "ibcc experiment",
    on_progress: Callable[[float], None] = lambda fraction: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> CampaignResult:
    """Runs a campaign that is kept in `file`, or continues with what an earlier run of the same one left there.

    `owner`: who holds a backend that only one can have. `on_progress` is told the part of the trials that are finished. Raises
    as CampaignStore.open and run_campaign.
    """
    devices = {f"model.{key}": value for key, value in setup.backend_settings.items()}

    def create(name: str, settings: Mapping[str, Any]) -> Backend:
        return create_backend(name, BackendOptions(settings={**devices, **settings}, owner=owner))

    file.parent.mkdir(parents=True, exist_ok=True)
    with CampaignStore.open(
        file,
        setup.campaign.name,
        identity=setup.identity(),
        former_identities=setup.former_identities(),
        outdated=setup.outdated,
        objectives=setup.objectives,
    ) as store:
        return run_campaign(
            setup,
            store,
            lambda: create(setup.campaign.backend, {}),
            open_other=create,
            listener=_Fraction(on_progress),
            should_stop=should_stop,
        )


class _Fraction(Silent):
    def __init__(self, on_progress: Callable[[float], None]) -> None:
        self._on_progress = on_progress

    def trial(self, record: TrialRecord, progress: Progress) -> None:
        self._on_progress(progress.finished / progress.total)
