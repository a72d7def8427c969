# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The verdict "host or fabric?" of a fabric by REST: of a workload on a simulated fabric, and of nights."""

import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from api.services.checks.history import DatabaseHistory
from api.services.fabric_diagnosis import MOST, diagnosis_result
from tests.api.answer_cases import API
from tests.api.check_service import add_night, created
from tests.api.fabric_service import once, run_jobs, with_default_fabric
from tests.api.service import Service
from tests.tuner.diagnosis.beds import fabric, workload
from tuner.checks.cause import Cause
from tuner.checks.observation import Finding
from tuner.diagnosis.evidence import Evidence, PortSeen
from tuner.diagnosis.verdict import diagnose
from tuner.documents.fabric_text import fabric_text

BED = f"{API}/fabrics/bed"
DIAGNOSIS = f"{BED}/diagnosis"
NIGHT = date(2026, 1, 31)


@pytest.fixture
def client(service: Service) -> Any:
    """An operator of a service that has a fabric whose host H5 takes 20 Gb/s, and a workload of three pairs on it."""
    with_default_fabric(service)
    admin = service.as_role("admin")
    body = {"name": "bed", "kind": "simulated", "options": {"document": fabric_text(fabric({"H5": {"receive_gbps": 20.0}}))}}
    assert admin.post(f"{API}/fabrics", json=body).status_code == 201
    run = workload().model_dump(mode="json", exclude_unset=True) | {"fabric": "two-switch"}
    answer = admin.post(f"{API}/workloads", json={"name": "pairs", "document": json.dumps(run), "belongs_to": "bed"})
    assert answer.status_code == 201, answer.text
    return service.as_role("operator")


def asked(client: Any, path: str = DIAGNOSIS, **body: Any) -> Any:
    return client.post(path, json=body, headers=once())


def test_nobody_has_asked_yet(service: Service, client: Any) -> None:
    found = service.as_role("viewer").get(DIAGNOSIS).json()
    assert found == {"can_watch": False, "can_run": True, "last": None, "nights": [], "problem": None, "job": None}


def test_an_operator_has_a_workload_diagnosed_and_viewers_read_it(service: Service, client: Any) -> None:
    viewer = service.as_role("viewer")
    assert asked(viewer, workload="pairs").status_code == 403
    job = asked(client, workload="pairs").json()
    assert (job["kind"], job["title"]) == ("diagnosis", "Diagnosis of a fabric")
    assert viewer.get(DIAGNOSIS).json()["job"] == job["id"]
    again = asked(client, workload="pairs")
    assert (again.status_code, again.json()["detail"].startswith(f"Job {job['id']} diagnoses")) == (409, True)
    assert run_jobs(service, client, job["id"])["state"] == "done"
    found = viewer.get(DIAGNOSIS).json()
    last = found["last"]
    assert (last["source"], last["workload"], last["by"], last["outdated"]) == ("simulated", "pairs", "operator", False)
    diagnosis = last["diagnosis"]
    assert (diagnosis["verdict"], diagnosis["faults_count"], found["job"]) == ("slow-receiver", 1, None)
    assert diagnosis["sentence"] == "Host H5 is slow to receive, and withholds credits."
    (fault,) = diagnosis["faults"]
    assert (fault["place"], fault["cause"]) == ("H5", "slow-receiver")
    assert fault["evidence"][0].startswith("L2/1 waits ")
    assert fault["next_step"] == "ibcc hosts ping INVENTORY --nodes H5 --triggered"
    audited = service.as_role("admin").get(f"{API}/audit", params={"action": "fabric.diagnosis"}).json()["items"]
    assert [(entry["actor"], entry["detail"]["workload"]) for entry in audited] == [("operator", "pairs")]


def test_what_is_usual_of_a_version_is_no_fault(service: Service, client: Any) -> None:
    job = asked(client, workload="pairs", usual_version=1).json()
    assert run_jobs(service, client, job["id"])["state"] == "done"
    kinds = [fault["kind"] for fault in client.get(DIAGNOSIS).json()["last"]["diagnosis"]["faults"]]
    assert "slow-receiver" not in kinds
    assert asked(client, workload="pairs", usual_version=7).status_code == 404


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        ({}, 422, "workload: fabric 'bed' is simulated and has no traffic of its own; name a workload to run on it"),
        ({"workload": "no-such"}, 404, "There is no workload 'no-such'."),
        ({"workload": "pairs", "seconds": 0}, 422, "seconds must be at least 1 (given: 0)"),
        ({"workload": "pairs", "time_scale": 2.0}, 422, "time_scale must be at most 1 (given: 2.0)"),
    ],
)
def test_what_cannot_be_diagnosed_is_a_sentence(client: Any, body: dict[str, Any], status: int, sentence: str) -> None:
    answer = asked(client, **body)
    assert (answer.status_code, answer.json()["detail"].startswith(sentence)) == (status, True), answer.text


def test_a_workload_belongs_to_its_fabric(client: Any) -> None:
    answer = asked(client, f"{API}/fabrics/two-switch/diagnosis", workload="pairs")
    assert answer.status_code == 422
    assert "cannot be used on 'two-switch'" in answer.json()["detail"]


def test_a_real_fabric_is_watched_and_runs_no_workload(service: Service, client: Any) -> None:
    assert service.as_role("admin").post(f"{API}/fabrics", json={"name": "far", "kind": "plugin"}).status_code == 201
    far = f"{API}/fabrics/far/diagnosis"
    found = client.get(far).json()
    assert (found["can_watch"], found["can_run"]) == (True, False)
    answer = asked(client, far, workload="scenario-1")
    assert (answer.status_code, "is a real one, whose ports are watched" in answer.json()["detail"]) == (422, True)
    job = asked(client, far).json()
    assert run_jobs(service, client, job["id"])["state"] == "failed"
    assert "there is no OpenSM plugin at" in client.get(far).json()["problem"]


def test_the_last_night_of_each_check_is_judged_without_names_of_jobs(service: Service, client: Any) -> None:
    created(client)
    cause = Cause(
        name="slow-receiver",
        sentence="host H5 is slow beside job 4711",
        place="H5",
        evidence=("S1/5 waits",),
        next_step="ibcc hosts triggers",
        weight=1.0,
    )
    finding = Finding(code="odd", sentence="job 4711 runs", place="H5", evidence="", next_step="")
    run = add_night(service, NIGHT, state="fail", findings=[finding], private=["4711"])
    DatabaseHistory(service.database, "site", keep_nights=400).add(replace(run, causes=(cause,)))
    path = f"{API}/fabrics/two-switch/diagnosis"
    sentences = []
    for reader in (client, service.as_role("viewer")):
        (night,) = reader.get(path).json()["nights"]
        assert (night["check"], night["date"], night["diagnosis"]["verdict"]) == ("site", "2026-01-31", "slow-receiver")
        sentences.append(night["diagnosis"]["sentence"])
    assert sentences == ["Host H5 is slow beside job 4711.", "Host H5 is slow beside job …."]


def test_long_lists_are_cut_with_their_numbers() -> None:
    many = [PortSeen(name=f"L/{i}", peer=f"H{i}/1", to_host=True, line_gbps=1.0, can_gbps=2.0) for i in range(100)]
    document = diagnosis_result(diagnose(Evidence(ports=tuple(many), flows=None)), "live")["diagnosis"]
    assert (len(document["faults"]), document["faults_count"]) == (MOST, 100)
    assert (len(document["missing"]), document["missing_count"]) == (MOST, 100)
