# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The service with an emulated fabric: real OpenSM, the real plugin, and a campaign that goes through them."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from api.settings import Settings
from tests.api.campaign_service import act, created, seen
from tests.api.fabric_service import await_job, once
from tests.api.service import Service
from tests.opensm_plugin.conftest import library

__all__ = ["library"]

LAB = "/api/v1/fabrics/lab"


def test_a_campaign_on_an_emulated_fabric_and_its_profile_in_production(
    settings: Settings, library: Path, infiniband_programs: None
) -> None:
    settings.workers = 2
    service = Service(settings)
    try:
        with service.running():
            _work(service)
    finally:
        service.close()
    again = Service(settings)
    try:
        with again.running():
            operator = again.as_role("operator")
            _await_up(operator)
            base = operator.get(f"{LAB}/state").json()["base_profile"]
            assert base["name"] == "tuned", "a server that is started again puts the base back"
    finally:
        again.close()


def _work(service: Service) -> None:
    admin, operator = service.as_role("admin"), service.as_role("operator")
    made = admin.post("/api/v1/fabrics", json={"name": "lab", "kind": "emulated", "options": {"fabric": "two-switch"}})
    assert made.status_code == 201, made.text
    _await_up(operator)
    campaign = created(operator, fabric="lab", settings={"budget.trials": 2})
    assert campaign["spec"]["backend"] == "emulated"
    started = act(operator, campaign, "start").json()
    _await(operator, lambda state: state["experiment"] is not None)
    refused = admin.post(f"{LAB}/apply", json={"profile": "off", "ttl_s": 5}, headers=once())
    assert refused.status_code == 409, refused.text
    assert "campaign short of operator" in refused.json()["detail"]
    job = await_job(operator, started["job"], 120)
    assert job["state"] == "done", job
    done = seen(operator, campaign)
    assert (done["state"], done["trials_done"]) == ("finished", 2)
    state = operator.get(f"{LAB}/state").json()
    assert state["experiment"] is None, "the campaign has let go of the fabric"
    assert state["base_profile"]["name"] == "off"

    yaml = operator.get(f"/api/v1/campaigns/{campaign['id']}/profile").text
    named = "\n".join("name: tuned" if line.startswith("name:") else line for line in yaml.splitlines()) + "\n"
    assert operator.post("/api/v1/profiles", json={"name": "tuned", "document": named}).status_code == 201
    plan = operator.post(f"{LAB}/plan", json={"profile": "tuned"}).json()
    assert sum(device["mads"] for device in plan["devices"]) == plan["totals"]["mads"] > 0
    body = {"fabric": "lab", "profile": "tuned", "version": 1, "plan_digest": plan["digest"]}
    promotion = operator.post("/api/v1/promotions", json=body, headers=once()).json()
    assert await_job(operator, promotion["job"])["state"] == "done"
    state = operator.get(f"{LAB}/state").json()
    assert state["base_profile"]["name"] == "tuned"
    assert state["devices"]["applied"] == 9
    verified = await_job(operator, operator.post(f"{LAB}/verify", headers=once()).json()["id"])
    assert verified["result"]["good"] is True


def _await_up(client: TestClient) -> None:
    _await(client, lambda state: bool(state["reachable"]))


def _await(client: TestClient, holds: Callable[[dict[str, Any]], bool]) -> None:
    over = threading.Event()
    timer = threading.Timer(60, over.set)
    timer.start()
    try:
        while not holds(state := client.get(f"{LAB}/state").json()):
            assert not over.wait(0.05), state
    finally:
        timer.cancel()
