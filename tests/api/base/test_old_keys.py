# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Requests with keys by their old names: taken, stored and answered with today's, with a warning in a header."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.api.service import Service
from tuner.documents import catalogue

INVENTORY = """\
ibcc_inventory: 1  # ours
name: rack
launcher: {kind: local}
hosts: [{nodes: "node[1-7]", host: "H{number}"}]
harm: {counters: []}
"""
LATER = "old keys are read until ibcc 0.3"
FABRIC = catalogue.find("fabric", "two-switch").read_text() + "model: {hca: {becn_delay_ns: 600}}\n"
SPEC: Mapping[str, Any] = {
    "ibcc_campaign": 1,
    "name": "c",
    "workloads": ["scenario-1"],
    "space": {"ca.ccti_timer": {"low": 10, "high": 400}},
    "confirmation": {"seeds": [101, 102]},
    "hypervolume_reference": {"victim_throughput": 0, "treatment_variation": 100},
    "variants": {"acks": {"model.hca.becn_carrier": "ack"}},
}


@pytest.fixture(autouse=True)
def two_switch(service: Service) -> None:
    answer = service.as_role("admin").post(
        "/api/v1/fabrics", json={"name": "two-switch", "kind": "simulated", "options": {"fabric": "two-switch"}}
    )
    assert answer.status_code == 201


def test_of_an_inventory(service: Service) -> None:
    admin = service.as_role("admin")
    for headers in ({"If-None-Match": "*"}, None):  # the second time too, though the text has been read before
        etag = headers or {"If-Match": admin.get("/api/v1/fabrics/two-switch/inventory").json()["etag"]}
        answer = admin.put("/api/v1/fabrics/two-switch/inventory", json={"document": INVENTORY}, headers=etag)
        assert answer.is_success, answer.text
        assert answer.headers["Warning"] == f"299 ibcc \"document: 'harm' is now 'abort_if'; {LATER}\""
        assert answer.json()["document"] == INVENTORY.replace("harm:", "abort_if:")
    assert "Warning" not in admin.get("/api/v1/fabrics/two-switch/inventory").headers
    document = INVENTORY + "abort_if: {}\n"
    both = admin.put("/api/v1/fabrics/two-switch/inventory", json={"document": document}, headers={"If-Match": "*"})
    assert both.status_code == 422
    assert "'harm' is the old name of 'abort_if', and both are given; delete 'harm'" in both.json()["detail"]


def test_of_a_fabric(service: Service) -> None:
    admin = service.as_role("admin")
    answer = admin.post("/api/v1/fabrics", json={"name": "a", "kind": "simulated", "options": {"document": FABRIC}})
    assert answer.headers["Warning"] == f"299 ibcc \"options.document: 'model.hca' is now 'model.ca'; {LATER}\""
    assert "model: {ca: {becn_delay_ns: 600}}" in answer.json()["options"]["document"]
    options = {"fabric": "two-switch", "model": {"hca.becn_carrier": "ack"}}
    answer = admin.post("/api/v1/fabrics", json={"name": "b", "kind": "emulated", "options": options})
    assert answer.headers["Warning"] == f"299 ibcc \"options.model: 'hca' is now 'ca'; {LATER}\""
    assert answer.json()["options"]["model"] == {"ca.becn_carrier": "ack"}
    options["model"] = {"hca.becn_carrier": "cnp"}
    answer = admin.patch("/api/v1/fabrics/b", json={"options": options}, headers={"If-Match": answer.json()["etag"]})
    assert "'hca' is now 'ca'" in answer.headers["Warning"]
    assert answer.json()["options"]["model"] == {"ca.becn_carrier": "cnp"}


def test_of_a_campaign(service: Service) -> None:
    body = {"name": "c", "fabric": "two-switch", "spec": SPEC, "settings": {"model.hca.cnp_spacing_ns": 10000}}
    answer = service.as_role("operator").post("/api/v1/campaigns", json=body)
    assert answer.is_success, answer.text
    assert answer.headers.get_list("Warning") == [
        f"299 ibcc \"settings: 'model.hca' is now 'model.ca'; {LATER}\"",
        f"299 ibcc \"spec: 'variants.*.model.hca' is now 'variants.*.model.ca'; {LATER}\"",
    ]
    assert answer.json()["spec"]["variants"] == {"acks": {"model.ca.becn_carrier": "ack"}}


def test_devices_have_todays(service: Service) -> None:
    rows = service.as_role("viewer").get("/api/v1/fabrics/two-switch/devices").json()["items"]
    assert {row["throttles"] for row in rows if row["kind"] == "ca"} == {True}
    assert all("reacts" not in row for row in rows)
