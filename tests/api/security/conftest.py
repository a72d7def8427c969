# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from collections.abc import Iterator

import pytest

from api.configuration.settings import Settings
from tests.api.answer_cases import Operation, World, operations
from tests.api.service import Service


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A service with one of everything, for all attacks."""
    service = Service(Settings(state_folder=tmp_path_factory.mktemp("attacked") / "state", workers=0, login_failures=1000))
    yield World(service)
    service.close()


@pytest.fixture(scope="session")
def every_operation(world: World) -> list[Operation]:
    """But the stream of events, which does not end."""
    return [one for one in operations(world.service) if one.name != "stream_events"]
