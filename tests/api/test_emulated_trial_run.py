# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The whole way of a trial run on an emulated fabric: a campaign through OpenSM and the plugin promises, nights of a check
measure before and during it, and the service, the command and the plugin's log tell of the same revision."""

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from api.configuration.settings import Settings
from api.database.models.fabric import FabricRecord
from ccsim.policy import Profile
from tests.api.campaign_service import act, created
from tests.api.check_service import CHECKS
from tests.api.check_service import created as created_check
from tests.api.fabric_service import await_job, await_up, once
from tests.api.service import Service
from tests.opensm_plugin.conftest import library
from tuner.documents.profile import profile_revision
from tuner.opensm.plugin_client import PluginClient

__all__ = ["library"]

LAB = "/api/v1/fabrics/lab"
DOCUMENT = """\
ibcc_check: 1
kinds:
- {kind: fairness, backend: emulated, workload: scenario-1, time_scale: 0.02}
"""


@pytest.mark.slow
def test_what_a_trial_run_measured_stands_beside_what_was_promised(
    settings: Settings, library: Path, infiniband_programs: None
) -> None:
    settings.workers = 2
    service = Service(settings)
    try:
        with service.running():
            _work(service)
    finally:
        service.close()


def _done(operator: TestClient, job_id: str) -> None:
    job = await_job(operator, job_id, 240)
    assert job["state"] == "done", job


def _night(operator: TestClient) -> None:
    _done(operator, operator.post(f"{CHECKS}/site/run", headers=once()).json()["id"])


def _put_recommended(operator: TestClient) -> None:
    """A short campaign on the fabric, and what it recommends as a profile of the service."""
    campaign: dict[str, Any] = created(operator, fabric="lab", settings={"budget.trials": 2})
    _done(operator, act(operator, campaign, "start").json()["job"])
    yaml = operator.get(f"/api/v1/campaigns/{campaign['id']}/profile").text
    named = "\n".join("name: tuned" if line.startswith("name:") else line for line in yaml.splitlines()) + "\n"
    assert operator.post("/api/v1/profiles", json={"name": "tuned", "document": named}).status_code == 201


def _work(service: Service) -> None:
    admin, operator = service.as_role("admin"), service.as_role("operator")
    made = admin.post("/api/v1/fabrics", json={"name": "lab", "kind": "emulated", "options": {"fabric": "two-switch"}})
    assert made.status_code == 201, made.text
    await_up(operator, LAB)
    _put_recommended(operator)
    created_check(operator, fabric="lab", document=DOCUMENT)
    _night(operator)
    tried = operator.post(f"{LAB}/apply", json={"profile": "tuned", "ttl_s": 3600}, headers=once()).json()
    _done(operator, tried["id"])
    _night(operator)
    (run,) = operator.get("/api/v1/trial-runs", params={"fabric": "lab"}).json()["items"]
    assert (run["profile"], run["version"], run["is_over"]) == ("tuned", 1, False)
    victims = next(one for one in run["compared"] if one["metric"] == "victim_throughput")
    assert victims["during"] > 2 * victims["before"] > 0, "the night before ran with congestion control off"
    assert victims["promised"]["value"] == pytest.approx(victims["during"], rel=0.2)
    assert run["sentence"].startswith(f"A victim got {victims['during']:.4g} Gb/s during it, {victims['before']:.4g} before; ")
    assert "campaign 'short' promised" in run["sentence"]
    with service.database.reading() as session:
        (record,) = session.scalars(select(FabricRecord).where(FabricRecord.fabric == "lab"))
    with PluginClient(Path(record.runtime["plugin_socket"])) as plugin:
        begun = [change for change in plugin.changes(200) if change["what"] == "experiment"][-1]
        in_force = Profile.from_text(plugin.profile()["document"])
    assert (begun["profile"], begun["owner"], begun["result"]) == (
        "tuned",
        run["by"] + ", through the ibcc service",
        "acknowledged",
    )
    assert run["revision"] == profile_revision(in_force)
    restored = operator.post(f"{LAB}/restore", headers=once()).json()
    _done(operator, restored["id"])
    (over,) = operator.get("/api/v1/trial-runs", params={"profile": "tuned"}).json()["items"]
    assert (over["is_over"], over["compared"]) == (True, run["compared"])
