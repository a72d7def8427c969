# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The hosts of a fabric, and checks of them by real agents of this machine."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from api.jobs.worker import Worker
from tests.api.fabric_service import FABRIC, await_job, once, run_jobs, with_default_fabric
from tests.api.host_site import inventory_text, with_inventory
from tests.api.service import Service
from tests.tuner.hosts.test_host_check import OF_THIS_MACHINE, Site

HOSTS, CHECK = f"{FABRIC}/hosts", f"{FABRIC}/hosts/check"


def test_without_an_inventory_there_are_no_hosts(calm_service: Service) -> None:
    viewer = calm_service.as_role("viewer")
    assert viewer.get(HOSTS).json()["items"] == []
    told = viewer.get(CHECK).json()
    assert (told["inventory"], told["checked_at"], told["hosts"]["total"]) == (None, None, 0)
    refused = calm_service.as_role("operator").post(CHECK, headers=once())
    assert (refused.status_code, "an administrator must add one" in refused.json()["detail"]) == (409, True)


@pytest.mark.long
def test_hosts_are_checked_and_what_is_wrong_is_told_once(any_service: Service, tmp_path: Path) -> None:
    service = with_default_fabric(any_service)
    admin, operator, viewer = (service.as_role(role) for role in ("admin", "operator", "viewer"))
    with_inventory(admin, inventory_text(tmp_path))
    site = Site(tmp_path)
    for node in ("n1", "n2"):
        site.settings(node, meter="/nonexistent/meter.so")
    (tmp_path / "n3/agent.json").unlink()
    hosts = viewer.get(HOSTS).json()["items"]
    assert [(one["node"], one["host"], one["verdict"]) for one in hosts] == [
        ("n1", "H1", None),
        ("n2", "H2", None),
        ("n3", "H3", None),
    ]
    asked = operator.post(CHECK, headers=once())
    assert asked.status_code == 202, asked.text
    assert viewer.get(CHECK).json()["running_job"] == asked.json()["id"]
    busy = operator.post(CHECK, headers=once())
    assert (busy.status_code, busy.json()["type"]) == (409, "/problems/busy")
    job = run_jobs(service, operator, asked.json()["id"], 120)
    assert (job["state"], job["result"]["unreachable"]) == ("done", 1), job
    assert job["progress"]["done"] == 100

    told = viewer.get(CHECK).json()
    assert told["hosts"] == {"total": 3, "ready": 0, "to_mend": 2, "unreachable": 1, "unchecked": 0}
    assert (told["is_current"], told["checked_by"], told["job"], told["running_job"]) == (True, "operator", job["id"], None)
    found = {one["what"]: one for one in told["findings"] if one["what"] not in OF_THIS_MACHINE}
    assert (found["meter"]["nodes"], found["meter"]["count"]) == ("n[1-2]", 2)
    assert found["meter"]["remedy"].startswith("install libibcc_meter.so")
    assert found["unreachable"]["nodes"] == "n3"
    (mended,) = viewer.get(HOSTS, params={"q": "h1", "verdict": "to_mend"}).json()["items"]
    assert (mended["state"], mended["meter"], mended["rate"]) == ("ACTIVE", False, "100 Gb/sec (4X EDR)")
    assert mended["clock_uncertainty_ns"] > 0
    first = viewer.get(HOSTS, params={"limit": 2}).json()
    rest = viewer.get(HOSTS, params={"cursor": first["next_cursor"]}).json()["items"]
    assert [one["node"] for one in first["items"] + rest] == ["n1", "n2", "n3"]

    # A check of one host leaves what is known of the others.
    site.settings("n3")
    some = operator.post(CHECK, json={"nodes": "n3"}, headers=once())
    assert run_jobs(service, operator, some.json()["id"], 120)["state"] == "done"
    told = viewer.get(CHECK).json()
    assert (told["hosts"]["unreachable"], told["hosts"]["unchecked"]) == (0, 0)
    assert {one["nodes"] for one in told["findings"] if one["what"] == "meter"} == {"n[1-2]"}
    assert operator.post(CHECK, json={"nodes": "m1"}, headers=once()).json()["errors"][0]["field"] == "nodes"

    changed = admin.put(
        f"{FABRIC}/inventory", json={"document": inventory_text(tmp_path, nodes="n[1-2]")}, headers={"If-Match": "*"}
    )
    assert changed.status_code == 200
    told = viewer.get(CHECK).json()
    assert (told["is_current"], told["hosts"]["total"]) == (False, 2)


def test_a_launcher_that_cannot_start_anything_fails_the_job(service: Service, tmp_path: Path) -> None:
    with_default_fabric(service)
    text = inventory_text(tmp_path).replace("command:\n  - ", "command:\n  - /nonexistent")
    with_inventory(service.as_role("admin"), text)
    operator = service.as_role("operator")
    job = run_jobs(service, operator, operator.post(CHECK, headers=once()).json()["id"])
    assert (job["state"], job["exit_code"]) == ("failed", 3)
    assert ("/nonexistent" in job["problem"], "…/" in job["problem"]) == (False, True)


@pytest.mark.long
def test_a_check_is_cancelled_and_leaves_no_agent(service: Service, tmp_path: Path) -> None:
    """The agents here never answer."""
    with_default_fabric(service)
    (tmp_path / "agent.sh").write_text(f"echo $$ >>{tmp_path}/pids\nexec cat >/dev/null\n")
    document = {
        "ibcc_inventory": 1,
        "name": "mute",
        "launcher": {"kind": "local"},
        "agent": {"command": ["/bin/sh", str(tmp_path / "agent.sh")]},
        "hosts": [{"nodes": "n[1-2]", "host": "H{number}"}],
    }
    with_inventory(service.as_role("admin"), json.dumps(document))
    operator = service.as_role("operator")
    job_id = operator.post(CHECK, headers=once()).json()["id"]
    worker = Worker(service.database, service.settings, slots=1, place="both", poll_s=0.02)
    worker.start()
    try:
        pids = awaited(lambda: (tmp_path / "pids").exists() and (tmp_path / "pids").read_text().split(), 2)
        assert operator.post(f"/api/v1/jobs/{job_id}/cancel").status_code == 202
        assert await_job(operator, job_id)["state"] == "cancelled"
    finally:
        worker.stop()
    assert [pid for pid in pids if Path(f"/proc/{pid}").exists()] == []
    told = operator.get(CHECK).json()
    assert (told["running_job"], told["checked_at"]) == (None, None)


def awaited(look: Callable[[], Any], count: int, timeout_s: float = 300.0) -> list[str]:
    """Returns what `look` finds as soon as that is at least `count` texts."""
    over = threading.Event()
    timer = threading.Timer(timeout_s, over.set)
    timer.start()
    try:
        while len(found := look() or []) < count:
            assert not over.wait(0.02), found
        return list(found)
    finally:
        timer.cancel()
