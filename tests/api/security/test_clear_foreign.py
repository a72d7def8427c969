# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Who may have foreign devices cleared: admins, and two of them where the fabric requires a second person."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from api.base.times import now
from api.configuration.settings import Settings
from api.fabric_drivers.simulated import SimulatedFabric
from api.services import second_person
from api.services.fabrics import get_fabric
from tests.api.answer_cases import API
from tests.api.fabric_service import FABRIC, once, run_jobs, with_default_fabric
from tests.api.security.test_second_person import ANY, as_person
from tests.api.service import Service


@pytest.fixture
def site(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """Whose simulated fabric is said to have two foreign devices."""
    counts = SimulatedFabric._counts

    def with_foreign(self: SimulatedFabric) -> dict[str, int]:
        return counts(self) | {"foreign": 2}

    monkeypatch.setattr(SimulatedFabric, "_counts", with_foreign)
    service = with_default_fabric(Service(settings))
    yield service
    service.close()


def ask(client: TestClient) -> tuple[int, dict[str, object]]:
    answer = client.post(f"{FABRIC}/clear-foreign", headers=once())
    return answer.status_code, answer.json()


def actions(client: TestClient) -> list[str]:
    items = client.get(f"{API}/audit", params={"action": "fabric.clear_foreign"}).json()["items"]
    return [one["action"].removeprefix("fabric.clear_foreign") for one in items][::-1]


def test_only_an_admin_may_and_the_job_says_what_came_of_it(site: Service) -> None:
    for role in ("viewer", "operator"):
        assert ask(site.as_role(role))[0] == 403
    admin = site.as_role("admin")
    status, answer = ask(admin)
    assert (status, answer["needs"]) == (202, None)
    assert isinstance(answer["job"], dict)
    job = run_jobs(site, admin, answer["job"]["id"])
    assert job["state"] == "failed", "nobody else can have switched simulated devices on"
    assert actions(admin) == ["", ".failed"]


def test_where_no_device_is_foreign_there_is_nothing_to_clear(settings: Settings) -> None:
    service = with_default_fabric(Service(settings))
    status, answer = ask(service.as_role("admin"))
    assert (status, answer["detail"]) == (409, "No device of fabric 'two-switch' is foreign, so there is nothing to clear.")
    service.close()


def test_a_second_admin_has_to_ask_for_the_same(site: Service) -> None:
    admin, other = site.as_role("admin"), as_person(site, "olga")
    assert admin.patch(FABRIC, json={"second_person": True}, headers=ANY).status_code == 200
    for _ in range(2):  # asking again is not agreeing
        assert ask(admin) == (202, {"job": None, "needs": "the same request of another admin"})
    status, answer = ask(other)
    assert (status, answer["needs"]) == (202, None)
    assert actions(admin) == [".ask", ".agree", ""]


def test_a_request_grows_old(site: Service) -> None:
    admin, other = site.as_role("admin"), as_person(site, "olga")
    assert admin.patch(FABRIC, json={"second_person": True}, headers=ANY).status_code == 200
    assert ask(admin)[1]["job"] is None
    with site.database.writing() as session:
        record = get_fabric(session, "two-switch").record
        request = record.runtime["clear_foreign"] | {"at": (now() - second_person.REQUEST_LASTS).isoformat()}
        record.runtime = {**record.runtime, "clear_foreign": request}
    assert ask(other)[1]["job"] is None, "it is olga's request now"
    assert ask(admin)[1]["job"] is not None
