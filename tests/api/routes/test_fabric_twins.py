# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Twins of imports and fabrics: rights, what is kept, and what ends a job."""

from typing import Any

import pytest
from sqlalchemy import select

from api.database.models.fabric_twin import FabricTwin
from tests.api.fabric_service import run_jobs
from tests.api.import_service import IMPORTS, PAIR, imported, kept
from tests.api.service import Service
from tuner.documents.fabric_text import fabric_text
from tuner.fabric.topologies.base import generate

FABRICS = "/api/v1/fabrics"


def begun(client: Any, where: str) -> dict[str, Any]:
    answer = client.post(f"{where}/twin")
    assert answer.status_code == 202, answer.text
    found: dict[str, Any] = answer.json()
    assert answer.headers["Location"] == f"/api/v1/jobs/{found['job']}"
    return found


@pytest.mark.long
def test_the_twin_of_an_import_is_kept_with_the_fabric(service: Service) -> None:
    admin, operator, viewer = (service.as_role(role) for role in ("admin", "operator", "viewer"))
    one = imported(service, admin, PAIR + "nonsense\n")
    where = f"{IMPORTS}/{one['id']}"
    assert operator.get(f"{where}/twin").json() is None
    assert viewer.post(f"{where}/twin").status_code == 403
    assert operator.get(f"{where}/twin/report").status_code == 404
    twin = begun(operator, where)
    assert (twin["state"], twin["import_id"], twin["made_at"]) == ("running", one["id"], None)
    refused = operator.post(f"{where}/twin")
    assert (refused.status_code, "is being made by job" in refused.json()["detail"]) == (409, True)
    job = run_jobs(service, operator, twin["job"])
    assert (job["state"], job["title"], job["subject"], job["result"]) == (
        "done",
        "Twin of a fabric",
        {"name": "pair"},
        {"negative": False},
    )
    made = operator.get(f"{where}/twin").json()
    assert (made["state"], made["problem"], made["negative"]) == ("ready", None, False)
    assert "too few for an incast" in made["verdicts"][-1]["text"]
    page = operator.get(f"{where}/twin/report")
    assert "sandbox; default-src 'none'" in page.headers["Content-Security-Policy"]
    assert "not understood and left out" in page.text, "what was odd in the file"
    assert kept(admin, one, "pair").status_code == 200
    now = viewer.get(f"{FABRICS}/pair/twin").json()
    assert (now["id"], now["fabric"], now["import_id"], now["version"], now["outdated"]) == (made["id"], "pair", None, 1, False)
    assert viewer.get(f"{FABRICS}/pair/twin/report").text == page.text
    assert viewer.get(f"{FABRICS}/pair/twin/report.json").json()["fabric"] == "pair"
    assert operator.get(f"{where}/twin").json()["id"] == made["id"], "the import shows that of its fabric"
    later = imported(service, admin, PAIR.replace('"b"', '"c"'), fabric="pair")
    assert kept(admin, later).status_code == 200
    assert viewer.get(f"{FABRICS}/pair/twin").json()["outdated"]
    entries = admin.get("/api/v1/audit", params={"action": "fabric.twin"}).json()["items"]
    assert [(entry["action"], entry["actor"]) for entry in entries] == [("fabric.twin", "operator")]


def test_what_is_read_again_or_discarded_has_no_twin_any_more(service: Service) -> None:
    admin = service.as_role("admin")
    one = imported(service, admin)
    where = f"{IMPORTS}/{one['id']}"
    twin = begun(admin, where)
    assert admin.post(f"{where}/reread", json={"mtu_bytes": 2048}).status_code == 202
    assert admin.get(f"{where}/twin").json() is None
    assert admin.get(f"/api/v1/jobs/{twin['job']}").json()["state"] == "cancelled"
    reading = admin.post(f"{where}/twin")
    assert (reading.status_code, "is reading; to make its twin, it must be ready or kept" in reading.json()["detail"]) == (
        409,
        True,
    )


@pytest.mark.long
def test_a_fabric_without_an_import_has_one_too(service: Service) -> None:
    admin, viewer = service.as_role("admin"), service.as_role("viewer")
    document = fabric_text(generate("leaf-spine", leaves=4, spines=2, hosts_per_leaf=5), [])
    unwired = {"name": "real", "kind": "plugin", "options": {"socket": "/run/ibcc/none.sock"}}
    assert admin.post(FABRICS, json=unwired).status_code == 201
    refused = admin.post(f"{FABRICS}/real/twin")
    assert (refused.status_code, refused.json()["detail"]) == (
        409,
        "The wiring of fabric 'real' is not known; import it first.",
    )
    made = admin.post(FABRICS, json={"name": "small", "kind": "simulated", "options": {"document": document}})
    assert made.status_code == 201, made.text
    job = begun(admin, f"{FABRICS}/small")["job"]
    assert admin.post(f"{FABRICS}/small/twin").status_code == 409
    run_jobs(service, admin, job)
    twin = viewer.get(f"{FABRICS}/small/twin").json()
    assert (twin["state"], twin["version"], twin["outdated"]) == ("ready", 1, False)
    assert any("With the suggested profile, victims get" in one["text"] for one in twin["verdicts"])
    assert admin.delete(f"{FABRICS}/small", headers={"If-Match": "*"}).status_code == 204
    with service.database.reading() as session:
        assert session.scalars(select(FabricTwin)).all() == [], "a report goes with its fabric"
