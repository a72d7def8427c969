# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Host or fabric on an emulated fabric of the service, behind a real OpenSM: by a workload, and by ports that are watched."""

import json
from pathlib import Path

import pytest

from api.configuration.settings import Settings
from tests.api.fabric_service import await_job, await_up, once
from tests.api.service import Service
from tests.opensm_plugin.conftest import library
from tests.tuner.diagnosis.beds import fabric, workload
from tuner.documents.fabric_text import fabric_text

__all__ = ["library"]

LAB = "/api/v1/fabrics/lab"


@pytest.mark.thorough
def test_a_slow_host_is_told_by_a_workload_and_by_its_ports(settings: Settings, library: Path, infiniband_programs: None) -> None:
    settings.workers = 2
    service = Service(settings)
    try:
        with service.running():
            admin, operator = service.as_role("admin"), service.as_role("operator")
            slow = {"document": fabric_text(fabric({"H5": {"receive_gbps": 20.0}}))}
            made = admin.post("/api/v1/fabrics", json={"name": "lab", "kind": "emulated", "options": slow})
            assert made.status_code == 201, made.text
            run = workload().model_dump(mode="json", exclude_unset=True) | {"fabric": "two-switch"}
            pairs = {"name": "pairs", "document": json.dumps(run), "belongs_to": "lab"}
            assert admin.post("/api/v1/workloads", json=pairs).status_code == 201
            await_up(operator, LAB)
            told = []
            for body in ({"workload": "pairs"}, {"seconds": 1}):
                job = await_job(operator, operator.post(f"{LAB}/diagnosis", json=body, headers=once()).json()["id"])
                assert job["state"] == "done", job
                last = service.as_role("viewer").get(f"{LAB}/diagnosis").json()["last"]
                told.append((last["source"], last["diagnosis"]["verdict"], last["diagnosis"]["sentence"]))
            state = operator.get(f"{LAB}/state").json()
    finally:
        service.close()
    assert told[0] == ("emulated", "slow-receiver", "Host H5 is slow to receive, and withholds credits.")
    assert told[1][:2] == ("live", "none"), "nothing is sent while its ports are watched"
    assert "slow senders and hotspots cannot be told" in told[1][2]
    assert state["experiment"] is None, "the diagnosis has let go of the fabric"
