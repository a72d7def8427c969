# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Adoption through the API: admins alone, in the audit log, under a name that nobody has."""

import pytest

from api.fabric_drivers.base import Adopted
from api.fabric_drivers.simulated import SimulatedFabric
from tests.api.service import Service
from tuner.documents.profile import load_profile

FABRIC = "/api/v1/fabrics/two-switch"
SITE = load_profile("gran-2010").with_settings({"ca.ccti_timer": 777})


@pytest.fixture
def found(calm_service: Service, monkeypatch: pytest.MonkeyPatch) -> Service:
    def adopted(fabric: SimulatedFabric, name: str) -> Adopted:
        not_said = ["No profile says all that S1 holds."]
        return Adopted(profile=SITE.with_settings({"name": name}), not_said=not_said, devices_not_said=3)

    monkeypatch.setattr(SimulatedFabric, "adopted", adopted)
    return calm_service


def test_admins_store_what_devices_held(found: Service) -> None:
    admin = found.as_role("admin")
    answer = admin.post(f"{FABRIC}/adopt", json={"name": "site"})
    assert answer.status_code == 201, answer.text
    made = answer.json()
    assert (made["profile"]["name"], made["devices_not_said"]) == ("site", 3)
    assert made["not_said"] == ["No profile says all that S1 holds."]
    assert "777" in admin.get("/api/v1/profiles/site").json()["document"]
    lines = admin.get("/api/v1/audit", params={"action": "fabric.adopt"}).json()["items"]
    assert [(line["object"], line["detail"]["devices_not_said"]) for line in lines] == [("profile site version 1", 3)]
    again = admin.post(f"{FABRIC}/adopt", json={"name": "site"})
    assert again.status_code == 409, again.text


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_others_may_not(found: Service, role: str) -> None:
    client = found.as_role(role)
    assert client.post(f"{FABRIC}/adopt", json={"name": "theirs"}).status_code == 403
    assert client.get("/api/v1/profiles/theirs").status_code == 404


def test_a_simulated_fabric_has_nothing_to_adopt(calm_service: Service) -> None:
    answer = calm_service.as_role("admin").post(f"{FABRIC}/adopt", json={"name": "site"})
    assert answer.status_code == 422, answer.text
    assert "is simulated: its devices have held nothing before its first profile" in answer.json()["detail"]
    assert calm_service.as_role("admin").post("/api/v1/fabrics/none/adopt", json={"name": "x"}).status_code == 404
