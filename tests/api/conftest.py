# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A service of each test's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from api.settings import Settings
from tests.api.service import Service


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Those of a service that keeps everything in the test's folder; nothing of the machine's own settings."""
    return Settings(state_folder=tmp_path / "state", workers=0)


@pytest.fixture
def service(settings: Settings) -> Iterator[Service]:
    """In SQLite, without the threads that run jobs and hand out events; `service.running()` has those."""
    one = Service(settings)
    yield one
    one.close()
