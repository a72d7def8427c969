# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Host: a service on loopback answers no page that calls it by another name."""

import pytest

from api.configuration.settings import Settings
from tests.api.service import Service


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8480", "[::1]:8480", "LOCALHOST:1"])
def test_loopbacks_names(service: Service, host: str) -> None:
    assert service.anonymous().get("/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "evil.example:8480", "", "192.0.2.1", "localhost@evil.example"]
)
def test_other_names(service: Service, host: str) -> None:
    answer = service.anonymous().get("/health", headers={"Host": host})
    assert (answer.status_code, answer.json()["type"]) == (400, "/problems/bad-request")
    assert "allowed_hosts" in answer.json()["detail"]


def test_names_that_are_set(settings: Settings) -> None:
    service = Service(settings.model_copy(update={"allowed_hosts": ["cc.example.org", "*.cc.example.org"]}))
    for host, status in (("cc.example.org", 200), ("a.cc.example.org:1", 200), ("xcc.example.org", 400), ("localhost", 400)):
        assert service.anonymous().get("/health", headers={"Host": host}).status_code == status, host
    service.close()
