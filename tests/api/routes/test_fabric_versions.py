# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Versions of a fabric's wiring: each change adds one, and an older one can be looked at and restored."""

from typing import Any

import pytest

from api.services import fabric_versions
from tests.api.campaign_service import created, seen
from tests.api.fabric_service import FABRIC, once, with_default_fabric
from tests.api.service import Service

FABRICS = "/api/v1/fabrics"
ANY = {"If-Match": "*"}


def versions(client: Any, fabric: str = "two-switch") -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = client.get(f"{FABRICS}/{fabric}/versions", params={"limit": 200}).json()["items"]
    return items


def changed(client: Any, name: str) -> None:
    answer = client.patch(FABRIC, json={"options": {"fabric": name}}, headers=ANY)
    assert answer.status_code == 200, answer.text


def test_a_fabric_begins_with_its_first_version(service: Service) -> None:
    client = with_default_fabric(service).as_role("viewer")
    (first,) = versions(client)
    assert (first["version"], first["current"], first["origin"], first["differences"]) == (1, True, "the first", None)


def test_other_wiring_is_a_version_and_other_words_are_not(service: Service) -> None:
    client = with_default_fabric(service).as_role("admin")
    assert client.patch(FABRIC, json={"description": "Ours."}, headers=ANY).status_code == 200
    assert len(versions(client)) == 1
    changed(client, "two-switch-16")
    latest, first = versions(client)
    assert (latest["version"], latest["current"], first["current"]) == (2, True, False)
    assert {one["kind"]: one["count"] for one in latest["differences"]}["hosts_added"] == 9


def test_an_older_version_is_looked_at_and_restored(service: Service) -> None:
    client = with_default_fabric(service).as_role("admin")
    picture = client.get(f"{FABRIC}/topology").json()
    changed(client, "two-switch-16")
    first = client.get(f"{FABRIC}/versions/1/topology").json()
    assert first["levels"] == picture["levels"] != client.get(f"{FABRIC}/topology").json()["levels"]
    assert "name: two-switch\n" in client.get(f"{FABRIC}/versions/1/document").text
    etag = client.get(FABRIC).headers["ETag"]
    answer = client.post(f"{FABRIC}/versions/1/restore", headers={"If-Match": etag})
    assert (answer.status_code, answer.json()["version"], answer.json()["origin"]) == (200, 3, "version 1 restored")
    assert client.get(f"{FABRIC}/topology").json() == picture
    assert client.get(FABRIC).json()["options"] == {"fabric": "two-switch"}
    stale = client.post(f"{FABRIC}/versions/2/restore", headers={"If-Match": etag})
    assert stale.status_code == 412, "somebody else has restored one meanwhile"
    assert client.post(f"{FABRIC}/versions/2/restore", headers=ANY).json()["version"] == 4  # undo of the undo


def test_a_campaign_says_that_its_fabric_has_another_wiring(service: Service) -> None:
    client = with_default_fabric(service).as_role("admin")
    campaign = created(client)
    assert seen(client, campaign)["outdated"] is None
    changed(client, "two-switch-16")
    told = seen(client, campaign)["outdated"]
    assert told.startswith("rests on the wiring of fabric 'two-switch' in version 1; version 2 is present since 20")
    assert seen(client, created(client))["outdated"] is None
    assert client.post(f"{FABRIC}/versions/1/restore", headers=ANY).status_code == 200
    assert seen(client, campaign)["outdated"] is None, "it has the wiring of before again"


def test_a_fabric_at_work_keeps_its_version(service: Service) -> None:
    client = with_default_fabric(service).as_role("admin")
    changed(client, "two-switch-16")
    assert client.post(f"{FABRIC}/verify", headers=once()).status_code == 202
    answer = client.post(f"{FABRIC}/versions/1/restore", headers=ANY)
    assert (answer.status_code, answer.json()["type"]) == (409, "/problems/busy")
    assert len(versions(client)) == 2


def test_unknown_wiring_is_a_version_without_a_picture(service: Service) -> None:
    client = service.as_role("admin")
    body = {"name": "real", "kind": "plugin", "options": {"socket": "/run/x.sock"}}
    assert client.post(FABRICS, json=body).status_code == 201
    for part in ("document", "topology"):
        answer = client.get(f"{FABRICS}/real/versions/1/{part}")
        assert (answer.status_code, answer.json()["type"]) == (409, "/problems/conflict")
    options = {"socket": "/run/x.sock", "fabric": "two-switch"}
    assert client.patch(f"{FABRICS}/real", json={"options": options}, headers=ANY).status_code == 200
    assert [one["differences"] for one in versions(client, "real")] == [None, None]
    assert client.post(f"{FABRICS}/real/versions/1/restore", headers=ANY).status_code == 200
    assert client.get(f"{FABRICS}/real").json()["options"] == {"socket": "/run/x.sock"}


def test_the_oldest_versions_go(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fabric_versions, "MOST", 3)
    client = with_default_fabric(service).as_role("admin")
    for number in range(4):
        changed(client, ["two-switch-16", "two-switch"][number % 2])
    assert [one["version"] for one in versions(client)] == [5, 4, 3]
    assert client.get(f"{FABRIC}/versions/2/document").status_code == 404


def test_versions_go_with_their_fabric(service: Service) -> None:
    client = with_default_fabric(service).as_role("admin")
    changed(client, "two-switch-16")
    assert client.delete(FABRIC, headers=ANY).status_code == 204
    assert client.get(f"{FABRIC}/versions").status_code == 404
    body = {"name": "two-switch", "kind": "simulated", "options": {"fabric": "two-switch"}}
    assert client.post(FABRICS, json=body).status_code == 201
    assert [one["version"] for one in versions(client)] == [1]


def test_fabrics_that_come_with_ibcc_are_a_list(service: Service) -> None:
    items = service.as_role("viewer").get("/api/v1/packaged-fabrics").json()["items"]
    assert {"name": "two-switch", "switches": 2, "hosts": 7, "links": 8} in items
    assert len(items) >= 4
