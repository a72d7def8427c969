# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A check of the service on an emulated fabric: real OpenSM, the real plugin, a device that has lost its tables, an answer."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from api.configuration.settings import Settings
from api.database.models.fabric import FabricRecord
from tests.api.check_service import CHECKS, created, put, seen
from tests.api.fabric_service import await_job, await_up, once
from tests.api.service import Service
from tests.api.test_emulated import LAB
from tests.opensm_plugin.conftest import library
from tuner.emulator.client import ControlClient

__all__ = ["library"]

DOCUMENT = """\
ibcc_check: 1
kinds:
- {kind: tables}
- {kind: fairness, backend: emulated, workload: scenario-1, time_scale: 0.02}
"""


@pytest.mark.slow
def test_a_device_that_forgot_its_tables_is_found_and_answered(
    settings: Settings, library: Path, infiniband_programs: None
) -> None:
    settings.workers = 2
    service = Service(settings)
    try:
        with service.running():
            _work(service)
    finally:
        service.close()


@pytest.mark.slow
def test_every_entry_of_nightly_is_run_by_the_service(settings: Settings, library: Path, infiniband_programs: None) -> None:
    settings.workers = 2
    service = Service(settings)
    try:
        with service.running():
            operator = service.as_role("operator")
            body = {"name": "lab", "kind": "emulated", "options": {"fabric": "two-switch-16"}}
            assert service.as_role("admin").post("/api/v1/fabrics", json=body).status_code == 201
            await_up(operator, LAB)
            _promote(operator)
            answer = operator.post(CHECKS, json={"name": "site", "fabric": "lab", "template": "nightly"})
            assert answer.status_code == 201, answer.text
            _night(operator)
            night = seen(operator, f"/nights/{seen(operator)['last']['date']}")
            assert {entry["name"]: entry["not_run"] for entry in night["entries"]} == dict.fromkeys(
                ("tables", "links", "routes", "fairness", "congestion_impact", "sweep")
            )
            assert operator.get(f"{LAB}/state").json()["experiment"] is None
    finally:
        service.close()


def _work(service: Service) -> None:
    admin, operator = service.as_role("admin"), service.as_role("operator")
    body = {"name": "lab", "kind": "emulated", "options": {"fabric": "two-switch"}}
    assert admin.post("/api/v1/fabrics", json=body).status_code == 201
    await_up(operator, LAB)
    _promote(operator)
    created(operator, fabric="lab", document=DOCUMENT)
    assert put(admin, "/policy", {"rules": [{"answer": "reapply", "kinds": ["tables"]}]}).status_code == 200
    before = operator.get(f"{LAB}/state").json()
    assert _night(operator)["state"] == "pass"
    after = operator.get(f"{LAB}/state").json()
    for key in ("active_profile", "base_profile", "experiment"):
        assert after[key] == before[key], "a check leaves the profile that it found"
    with service.database.reading() as session:
        (record,) = session.scalars(select(FabricRecord).where(FabricRecord.fabric == "lab"))
    with ControlClient(path=Path(record.runtime["control_socket"])) as emulator:
        emulator.reboot_node("H1")
    failed = _night(operator)
    assert failed["state"] == "fail", failed
    night = seen(operator, f"/nights/{seen(operator)['last']['date']}")
    tables, fairness = night["entries"]
    assert {finding["place"] for finding in tables["findings"]} == {"H1/1"}
    assert fairness["values"]["victim_throughput"] > 0
    (answer,) = seen(operator, "/answers")["items"]
    assert "H1/1" in answer["cause"]
    assert await_job(operator, answer["job"])["state"] == "done"
    for _ in range(10):  # the subnet manager has to bring the port up first
        if _night(operator)["state"] == "pass":
            break
    (answer,) = seen(operator, "/answers")["items"][-1:]
    assert (answer["state"], answer["stands"]) == ("done", False), "the cause was not seen any more"
    assert operator.get(f"{LAB}/state").json()["devices"]["applied"] == 9


def _night(operator: Any) -> dict[str, Any]:
    job = await_job(operator, operator.post(f"{CHECKS}/site/run", headers=once()).json()["id"], 120)
    assert job["state"] == "done", job
    result: dict[str, Any] = job["result"]
    return result


def _promote(operator: Any) -> None:
    plan = operator.post(f"{LAB}/plan", json={"profile": "gran-2010"}).json()
    body = {"fabric": "lab", "profile": "gran-2010", "version": 1, "plan_digest": plan["digest"]}
    job = operator.post("/api/v1/promotions", json=body, headers=once()).json()["job"]
    assert await_job(operator, job)["state"] == "done"
