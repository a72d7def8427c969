# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A service that runs, for `ibcc --server URL …`."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from api.configuration.settings import Settings
from tests.api.service import Service
from tuner.cli.main import run

Ibcc: TypeAlias = Callable[..., str]


@pytest.fixture
def served_service(tmp_path: Path) -> Iterator[tuple[Service, str]]:
    """The service and its address."""
    service = Service(Settings(state_folder=tmp_path / "state", workers=2, inventory_programs=True))
    with service.served() as url:
        yield service, url
    service.close()


@pytest.fixture
def ibcc_server(served_service: tuple[Service, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ibcc:
    """Runs a command as an operator; standard output, or standard error where it fails."""
    service, url = served_service
    monkeypatch.setenv("IBCC_SERVER", "")
    monkeypatch.setenv("IBCC_TOKEN", service.as_role("operator").headers["Authorization"].removeprefix("Bearer "))

    def command(*arguments: str, code: int = 0) -> str:
        given = run(["--server", url, *arguments])
        out, err = capsys.readouterr()
        assert given == code, err
        return out if code == 0 else err

    return command
