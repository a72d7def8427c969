# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Parameters that are given twice."""

import pytest

from api.middleware.single_parameters import SEVERAL
from tests.api.service import Service


@pytest.mark.parametrize("query", ["state=done&state=queued", "limit=1&limit=1", "kind=&kind=", "%6bind=a&kind=b"])
def test_they_are_refused(service: Service, query: str) -> None:
    answer = service.as_role("viewer").get(f"/api/v1/jobs?{query}")
    assert (answer.status_code, answer.json()["type"]) == (400, "/problems/bad-request")
    assert "more than once" in answer.json()["detail"]


@pytest.mark.parametrize("query", ["state=done&kind=a", "", "limit=1"])
def test_others_are_not(service: Service, query: str) -> None:
    assert service.as_role("viewer").get(f"/api/v1/jobs?{query}").status_code == 200


def test_lists_are_known(service: Service) -> None:
    lists = {
        parameter["name"]
        for item in service.app.openapi()["paths"].values()
        for operation in item.values()
        for parameter in operation.get("parameters", [])
        if parameter["in"] == "query" and "array" in str(parameter["schema"])
    }
    assert lists == set(SEVERAL)
