# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The service with an emulated fabric: real OpenSM, the real plugin, and a campaign that goes through them."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from api.configuration.settings import Settings
from tests.api.campaign_service import act, created, seen
from tests.api.fabric_service import await_answer, await_job, await_up, once
from tests.api.service import Service
from tests.opensm_plugin.conftest import library

__all__ = ["library"]

LAB = "/api/v1/fabrics/lab"


@pytest.mark.slow
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
            await_up(operator, LAB)
            base = operator.get(f"{LAB}/state").json()["base_profile"]
            assert base["name"] == "tuned", "a server that is started again puts the base back"
    finally:
        again.close()


def _work(service: Service) -> None:
    admin, operator = service.as_role("admin"), service.as_role("operator")
    made = admin.post("/api/v1/fabrics", json={"name": "lab", "kind": "emulated", "options": {"fabric": "two-switch"}})
    assert made.status_code == 201, made.text
    await_up(operator, LAB)
    _restore_under_a_campaign(admin, operator)
    campaign = created(operator, fabric="lab", settings={"budget.trials": 2})
    assert campaign["spec"]["backend"] == "emulated"
    started = act(operator, campaign, "start").json()
    await_answer(operator, f"{LAB}/state", lambda state: state["experiment"] is not None)
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


def _restore_under_a_campaign(admin: TestClient, operator: TestClient) -> None:
    """Somebody else restores the base while a campaign measures: it is paused, keeps what it has, and nothing stays behind."""
    campaign = created(operator, fabric="lab", settings={"budget.trials": 500})
    waiting = created(operator, fabric="lab")
    elsewhere = created(operator, fabric="lab", on_simulator=True, settings={"budget.trials": 500})
    first = act(operator, campaign, "start").json()
    await_answer(operator, f"/api/v1/campaigns/{campaign['id']}", lambda one: one["trials_done"] >= 1)
    act(operator, elsewhere, "start")
    act(operator, waiting, "start")  # it finds no free worker
    restored = await_job(operator, admin.post(f"{LAB}/restore", headers=once()).json()["id"], 120)
    assert restored["state"] == "done", restored
    await_answer(operator, f"/api/v1/campaigns/{campaign['id']}", lambda one: one["state"] != "pausing")
    for one in (campaign, waiting):
        paused = seen(operator, one)
        assert (paused["state"], paused["ended_at"]) == ("paused", None), paused
        assert "admin has restored the base profile of fabric 'lab'" in paused["problem"]
    kept = seen(operator, campaign)["trials_done"]
    assert 1 <= kept < 500
    assert await_job(operator, first["job"])["state"] == "done"
    state = operator.get(f"{LAB}/state").json()
    assert (state["experiment"], state["active_profile"]["name"], state["devices"]["applied"]) == (None, "off", 9)
    assert seen(operator, elsewhere)["state"] == "running", "what measures in the simulator has nothing to give back"
    act(operator, elsewhere, "stop")
    log = admin.get("/api/v1/audit", params={"fabric": "lab", "action": "fabric.restore"}).json()["items"]
    assert log[-1]["detail"]["paused"].split(", ") == [campaign["id"], waiting["id"]]

    resumed = act(operator, campaign, "resume").json()
    assert resumed["problem"] is None
    await_answer(operator, f"/api/v1/campaigns/{campaign['id']}", lambda one: one["trials_done"] > kept)
    act(operator, campaign, "stop")
    await_job(operator, resumed["job"])
    assert seen(operator, campaign)["state"] == "stopped"
    assert operator.get(f"{LAB}/state").json()["experiment"] is None
