# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A draft is changed where it is, as a whole or not at all."""

from typing import Any

import pytest

from tests.api.campaign_service import CAMPAIGNS, SHORT, act, created, seen
from tests.api.fabric_service import run_jobs, with_default_fabric
from tests.api.service import Service

pytestmark = pytest.mark.long


def _body(campaign: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """What the web interface sends: the document as it is stored, without what the service adds."""
    spec = {key: value for key, value in campaign["spec"].items() if key not in ("name", "backend")}
    return {"name": campaign["name"], "fabric": campaign["fabric"], "spec": spec} | changes


def test_the_changed_draft_is_what_runs(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    draft = created(operator, settings={"objectives": ["victim_throughput"], "hypervolume_reference": {"victim_throughput": 0}})
    path = f"{CAMPAIGNS}/{draft['id']}"
    body = _body(draft, name="other")
    body["spec"] |= {"budget": {"trials": 3}, "objectives": ["spread"], "hypervolume_reference": {"spread": 9}}
    answer = operator.put(path, json=body, headers={"If-Match": draft["etag"]})
    assert answer.status_code == 200, answer.text
    changed = answer.json()
    assert (changed["id"], changed["name"], changed["state"], changed["trials_total"]) == (draft["id"], "other", "draft", 3)
    assert ([goal["name"] for goal in changed["objectives"]], changed["template"]) == (["spread"], "scenario-1")
    assert answer.headers["etag"] == changed["etag"] != draft["etag"]
    assert operator.put(path, json=body, headers={"If-Match": draft["etag"]}).status_code == 412, "somebody has changed it"
    assert operator.put(path, json=body).status_code == 428
    (entry, *_) = operator.get("/api/v1/audit", params={"action": "campaign.change"}).json()["items"]
    assert entry["object"] == f"campaign other ({draft['id']})"

    job = run_jobs(service, operator, act(operator, changed, "start").json()["job"])
    assert job["state"] == "done", job
    done = seen(operator, draft)
    assert (done["trials_done"], done["best"]["values"].keys()) == (3, {"spread"})
    refused = operator.put(path, json=body, headers={"If-Match": done["etag"]})
    assert refused.status_code == 409, refused.text
    assert "finished" in refused.json()["detail"]


def test_what_is_refused_changes_nothing(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    pair = "hosts: [{name: A}, {name: B}]\nlinks: [{a: A/1, b: S/1, rate: 4xHDR}, {a: B/1, b: S/2, rate: 4xHDR}]\n"
    document = f"ibcc_fabric: 1\nname: pair\nmtu_bytes: 2048\nswitches: [{{name: S, ports: 2}}]\n{pair}"
    made = {"name": "pair", "kind": "simulated", "options": {"document": document}}
    assert service.as_role("admin").post("/api/v1/fabrics", json=made).status_code == 201
    draft = created(operator)
    refusals: list[tuple[dict[str, Any], str]] = [
        ({"fabric": "pair"}, "and a victim and its destination, and there are 2"),
        ({"fabric": "nowhere"}, "There is no fabric"),
        ({"spec": None}, "give either template"),
        ({"settings": {"budget.trials": -3}}, "-3"),
    ]
    for changes, sentence in refusals:
        answer = operator.put(f"{CAMPAIGNS}/{draft['id']}", json=_body(draft, **changes), headers={"If-Match": "*"})
        assert answer.status_code in (404, 422), answer.text
        assert sentence in answer.json()["detail"], answer.text
        assert seen(operator, draft) == draft


def test_a_draft_follows_to_another_fabric_with_its_devices(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    other = {"name": "other", "kind": "simulated", "options": {"fabric": "two-switch"}}
    assert service.as_role("admin").post("/api/v1/fabrics", json=other).status_code == 201
    draft = created(operator, settings={"model.ca.becn_carrier": "ack"})
    settings = {f"model.{key}": value for key, value in draft["settings"].items()}
    body = _body(draft, fabric="other", settings=settings)
    changed = operator.put(f"{CAMPAIGNS}/{draft['id']}", json=body, headers={"If-Match": "*"}).json()
    assert (changed["fabric"], changed["settings"]) == ("other", {"ca.becn_carrier": "ack"})
    assert changed["spec"]["budget"]["trials"] == SHORT["budget.trials"]
