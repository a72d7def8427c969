# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Metrics of fabrics: what is wrong with one hides no other, and no name that somebody else chose is a label."""

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from api.background import fabric_readings
from api.background.fabric_readings import FabricReadings
from api.base.times import now
from api.database.models.fabric import FabricRecord
from api.database.models.fabric_watch import FabricWatch
from api.services import fabric_access
from tests.api.fabric_service import LOAD, once, run_jobs, with_default_fabric
from tests.api.service import Service
from tuner.errors import UnreachableError

SWITCH, HOST = '<b>S1</b>"} 1 \\n# HELP evil', "H1{x='1'}"
HOSTILE = json.dumps(
    {
        "ibcc_fabric": 1,
        "name": "hostile",
        "mtu_bytes": 2048,
        "switches": [{"name": SWITCH, "ports": 36}],
        "hosts": [{"name": HOST}, {"name": "x" * 60000}],
        "links": [
            {"a": f"{HOST}/1", "b": f"{SWITCH}/1", "rate": "4xQDR"},
            {"a": f"{'x' * 60000}/1", "b": f"{SWITCH}/2", "rate": "4xQDR"},
        ],
    }
)


def metrics(client: Any) -> dict[str, float]:
    """Values by series."""
    lines = [line for line in client.get("/metrics").text.splitlines() if not line.startswith("#")]
    return {series: float(value) for series, _, value in (line.rpartition(" ") for line in lines)}


def of_fabrics(values: dict[str, float]) -> dict[str, float]:
    return {series: value for series, value in values.items() if series.startswith("ibcc_fabric_")}


@pytest.fixture
def two(service: Service) -> Service:
    with_default_fabric(service)
    body = {"name": "other", "kind": "simulated", "options": {"fabric": "two-switch"}}
    assert service.as_role("admin").post("/api/v1/fabrics", json=body).status_code == 201
    return service


def test_devices_experiment_and_congestion(two: Service) -> None:
    with two.database.writing() as session:
        session.get_one(FabricRecord, "other").load = LOAD
    operator = two.as_role("operator")
    body = {"profile": "gran-2010", "ttl_s": 600}
    job = operator.post("/api/v1/fabrics/two-switch/apply", json=body, headers=once()).json()
    assert run_jobs(two, operator, job["id"])["state"] == "done"
    values = metrics(two.as_role("viewer"))
    assert values['ibcc_fabric_devices{fabric="two-switch",state="applied"}'] == 9
    assert values['ibcc_fabric_devices{fabric="two-switch",state="drifted"}'] == 0
    experiments = [values[f'ibcc_fabric_experiment{{fabric="{name}"}}'] for name in ("two-switch", "other")]
    assert experiments == [1, 0]
    assert 0 < values['ibcc_fabric_experiment_end_timestamp_seconds{fabric="two-switch"}'] - time.time() <= 600
    assert values['ibcc_fabric_congestion_ratio{fabric="other",of="worst"}'] == 0.5
    assert values['ibcc_fabric_congestion_ratio{fabric="other",of="mean"}'] == 0.3
    absent = ("ibcc_fabric_experiment_end_timestamp_seconds{fabric", 'ibcc_fabric_congestion_ratio{fabric="two-switch"')
    assert not [series for series in values if series.startswith(absent[1]) or series == f'{absent[0]}="other"}}']


def test_marks_links_and_audits_of_a_watched_fabric(two: Service) -> None:
    with two.database.writing() as session:
        counts = {"devices": 9, "missing": 2, "new": 1, "links": 8, "links_down": 3}
        audited_at = now()
        session.add(FabricWatch(fabric="other", reach="reachable", counts=counts, audited_at=audited_at, revision=1))
    values = metrics(two.as_role("viewer"))
    assert values['ibcc_fabric_marked_devices{fabric="other",mark="missing"}'] == 2
    assert values['ibcc_fabric_marked_devices{fabric="other",mark="not_ready"}'] == 0
    assert values['ibcc_fabric_links_down{fabric="other"}'] == 3
    assert values['ibcc_fabric_audit_timestamp_seconds{fabric="other"}'] == pytest.approx(audited_at.timestamp(), abs=0.001)
    assert not [series for series in values if series.startswith("ibcc_fabric_links_down") and "two-switch" in series]


def test_a_token_for_some_fabrics_sees_those(two: Service) -> None:
    seen = of_fabrics(metrics(two.as_role("viewer", ["other"])))
    assert seen
    assert all('fabric="other"' in series for series in seen)


def test_a_fabric_that_hangs_or_fails_hides_no_other(two: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()
    connected = fabric_access.connected

    @contextmanager
    def hangs(database: Any, fabric: Any) -> Iterator[Any]:
        if fabric.name == "other":
            released.wait(60)
            raise UnreachableError("no plugin")
        with connected(database, fabric) as driver:
            yield driver

    monkeypatch.setattr(fabric_access, "connected", hangs)
    monkeypatch.setattr(fabric_readings, "PATIENCE_S", 0.3)
    monkeypatch.setattr(fabric_readings, "READ_S", 0)
    viewer = two.as_role("viewer")
    for _ in range(20):
        values = metrics(viewer)
        if 'ibcc_fabric_reachable{fabric="two-switch"}' in values:
            break
    assert values['ibcc_fabric_reachable{fabric="two-switch"}'] == 1
    assert 'ibcc_fabric_reachable{fabric="other"}' not in values
    released.set()
    monkeypatch.setattr(fabric_readings, "PATIENCE_S", 30)
    values = metrics(viewer)
    assert values['ibcc_fabric_reachable{fabric="other"}'] == 0
    assert not [series for series in values if series.startswith("ibcc_fabric_devices") and "other" in series]


def test_a_fabric_that_is_deleted_is_gone(two: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fabric_readings, "READ_S", 0)
    readings = FabricReadings(two.database)
    assert [one.fabric for one in readings.latest()] == ["other", "two-switch"]
    admin = two.as_role("admin")
    assert admin.delete("/api/v1/fabrics/other", headers={"If-Match": "*"}).status_code == 204
    assert [one.fabric for one in readings.latest()] == ["two-switch"]
    readings.close()


def test_readings_are_shared_by_those_who_ask(two: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    readings = FabricReadings(two.database)
    first = readings.latest()
    monkeypatch.setattr(fabric_access, "connected", None)  # whoever would read again would fail
    assert readings.latest() == first
    readings.close()


def test_no_name_of_a_device_is_in_metrics(service: Service) -> None:
    body = {"name": "hostile", "kind": "simulated", "options": {"document": HOSTILE}}
    answer = service.as_role("admin").post("/api/v1/fabrics", json=body)
    assert answer.status_code == 201, answer.text
    text = service.as_role("viewer").get("/metrics").text
    assert 'ibcc_fabric_devices{fabric="hostile",state="applied"} 3.0' in text
    assert not re.search(r"evil|<b>|H1|xxx", text)
