# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from collections.abc import Iterator

import pytest

from api.configuration.settings import Settings
from tests.api.fabric_service import with_default_fabric
from tests.api.service import Service


@pytest.fixture(scope="module")
def calm_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One for all tests of a file that change nothing, as a service takes half a second to make."""
    service = Service(Settings(state_folder=tmp_path_factory.mktemp("calm") / "state", workers=0))
    yield with_default_fabric(service)
    service.close()
