# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The whole OpenAPI document, by schemathesis: whatever is sent, the service answers as documented, and never fails itself.

`.ci/run` sends few requests to each operation, the same each time; `make test-all` many, and new ones.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from api.configuration.settings import Settings
from tests.api.service import Service


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One service for all operations, without threads: jobs stay in the queue."""
    folder: Path = tmp_path_factory.mktemp("service")
    service = Service(Settings(state_folder=folder / "state", workers=0, login_failures=10**6, allowed_hosts=["*"]))
    yield service
    service.close()


_ANY = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large, HealthCheck.large_base_example]


@pytest.mark.thorough
@pytest.mark.long
def test_every_operation_answers_as_documented(whole: Service) -> None:
    from tests.api.schemathesis_requests import send_all  # slow to import

    limits = settings(
        max_examples=1, deadline=None, derandomize=True, database=None, suppress_health_check=_ANY, phases=[Phase.generate]
    )
    assert send_all(whole, limits) > 15


@pytest.mark.slow
def test_every_operation_answers_as_documented_to_many_requests(whole: Service) -> None:
    from tests.api.schemathesis_requests import send_all  # slow to import

    limits = settings(max_examples=200, deadline=None, database=None, suppress_health_check=_ANY, print_blob=True)
    send_all(whole, limits)
