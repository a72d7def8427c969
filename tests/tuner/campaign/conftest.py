# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A small campaign on the analytic backend."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.postgresql import Server
from tests.tuner.campaign.analytic import AnalyticBackend, campaign_text, write_campaign
from tuner.campaign.prepare import prepare
from tuner.campaign.progress import Listener
from tuner.campaign.result import CampaignResult
from tuner.campaign.runner import OpenOther, run_campaign
from tuner.campaign.setup import Setup
from tuner.campaign.store import CampaignStore, OpenMode
from tuner.campaign.workers import Workers
from tuner.documents.campaign import load_campaign


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., Setup]:
    """`load(trials=5)`: the small campaign with such changes."""

    def loaded(**changes: Any) -> Setup:
        return prepare(*load_campaign(write_campaign(tmp_path, campaign_text(**changes))))

    return loaded


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., CampaignResult]:
    """Runs a campaign in `tmp_path`'s storage."""

    def ran(
        setup: Setup,
        *,
        file: str = "c.sqlite3",
        storage: str | None = None,
        mode: OpenMode = "auto",
        backend: Callable[[], AnalyticBackend] = AnalyticBackend,
        open_other: OpenOther | None = None,
        listener: Listener | None = None,
        should_stop: Callable[[], bool] = lambda: False,
        workers: Workers | None = None,
    ) -> CampaignResult:
        with CampaignStore.open(
            storage or tmp_path / file, setup.campaign.name, identity=setup.identity(), objectives=setup.objectives, mode=mode
        ) as store:
            return run_campaign(
                setup,
                store,
                backend,
                open_other=open_other,
                listener=listener,
                should_stop=should_stop,
                workers=workers,
            )

    return ran


@pytest.fixture
def database(postgresql: Server, tmp_path: Path) -> str:
    """The address of an empty database in PostgreSQL."""
    return postgresql.address(tmp_path.name)
