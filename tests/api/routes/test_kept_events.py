# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Events that are kept, and what is known of a watched fabric: who may read what, in pages, whatever devices are called."""

from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.background.fabric_watcher import FabricWatcher
from api.base.times import now
from api.database.models.fabric_watch import FabricWatch
from api.events.publish import publish
from api.fabric_drivers.registry import FABRIC_KINDS
from tests.api.service import Service
from tests.api.watch.fake_fabric import FakeFabric, host
from tests.api.watch.test_walk import FakeKind

KEPT = "/api/v1/events/kept"
HOSTILE = "<img src=x onerror=alert(1)>\x1b[2J" + "x" * 65_536


def tell(service: Service, fabric: str, kind: str, number: int) -> None:
    with service.database.writing() as session:
        publish(session, f"fabric:{fabric}", kind, {"fabric": fabric, "headline": f"number {number}"}, fabric=fabric)


def headlines(client: TestClient, **query: Any) -> list[str]:
    answer = client.get(KEPT, params=query)
    assert answer.status_code == 200, answer.text
    return [item["data"]["headline"] for item in answer.json()["items"]]


def test_kept_events_are_filtered_and_come_in_pages(any_service: Service) -> None:
    for number, (fabric, kind) in enumerate(
        [("a", "device.lost"), ("b", "device.back"), ("a", "fabric.unreachable"), ("a", "unheard-of"), ("a", "link.down")]
    ):
        tell(any_service, fabric, kind, number)
    viewer = any_service.as_role("viewer")
    assert headlines(viewer) == ["number 4", "number 2", "number 1", "number 0"], "what has no severity is no news"
    assert headlines(viewer, severity="warning") == ["number 4", "number 2", "number 0"]
    assert headlines(viewer, severity="error") == ["number 2"]
    assert headlines(viewer, fabric="b") == ["number 1"]
    assert headlines(viewer, kind="device") == ["number 1", "number 0"]
    assert headlines(viewer, kind="device.lost") == ["number 0"]
    assert headlines(viewer, kind="devic%") == []
    assert headlines(viewer, since=(now() + timedelta(hours=1)).isoformat()) == []
    first = viewer.get(KEPT, params={"limit": 3}).json()
    rest = viewer.get(KEPT, params={"limit": 3, "cursor": first["next_cursor"]}).json()
    assert [len(first["items"]), len(rest["items"]), rest["next_cursor"]] == [3, 1, None]
    assert viewer.get(KEPT, params={"severity": "grave"}).status_code == 422
    assert viewer.get(KEPT, params={"frobnicate": "1"}).status_code == 422


def test_a_token_for_a_fabric_reads_of_no_other(service: Service) -> None:
    tell(service, "a", "device.lost", 0)
    tell(service, "b", "device.lost", 1)
    with service.database.writing() as session:
        publish(session, "jobs", "job", {"kind": "import", "state": "failed", "headline": "of nobody's fabric"})
    limited = service.as_role("viewer", fabrics=["b"])
    assert headlines(limited) == ["number 1"]
    assert headlines(limited, fabric="a") == []
    assert limited.get("/api/v1/fabrics/a/watch").status_code == 403


@pytest.fixture
def watched(service: Service, monkeypatch: pytest.MonkeyPatch) -> FakeFabric:
    """A fabric `site` that was looked at once, with a host of a hostile name."""
    fabric = FakeFabric(names={host(0): HOSTILE, host(1): HOSTILE})
    monkeypatch.setitem(FABRIC_KINDS._variants, "plugin", FakeKind(fabric))
    admin = service.as_role("admin")
    assert admin.post("/api/v1/fabrics", json={"name": "site", "kind": "plugin"}).status_code == 201
    assert admin.get("/api/v1/fabrics/site/watch").json()["reach"] == "unseen"
    watcher = FabricWatcher(service.database)
    look(watcher)
    fabric.conditions |= {host(0): "missing", host(1): "timing-out"}
    look(watcher)
    watcher.stop()
    return fabric


def look(watcher: FabricWatcher) -> None:
    for one in watcher.tick():
        one.result(10)


def test_whatever_a_host_is_called_it_is_told_in_short(service: Service, watched: FakeFabric) -> None:
    viewer = service.as_role("viewer")
    told = viewer.get(KEPT, params={"kind": "device"})
    assert len(told.content) < 3000
    assert "\x1b" not in str(told.json())
    watch = viewer.get("/api/v1/fabrics/site/watch").json()
    assert [one["marks"] for one in watch["devices"]] == [["missing"], ["timing-out"]]
    assert all(len(one["name"]) <= 64 for one in watch["devices"])
    assert (watch["current"], watch["severity"], watch["counts"]["missing"]) == (True, "warning", 1)


def test_what_nobody_has_looked_at_for_a_while_is_not_believed(service: Service, watched: FakeFabric) -> None:
    with service.database.writing() as session:
        row = session.get_one(FabricWatch, "site")
        assert row.as_of is not None
        row.as_of -= timedelta(minutes=1)
    watch = service.as_role("viewer").get("/api/v1/fabrics/site/watch").json()
    assert (watch["current"], watch["counts"]["missing"]) == (False, 1)
