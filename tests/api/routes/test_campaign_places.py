# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns on strangers' fabrics: the plan before, refusals at creation, and hosts that are frozen with the campaign."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from api.database.models.campaign import StoredCampaign
from api.services.campaigns.files import DOCUMENT, setup_of
from tests.api.campaign_service import CAMPAIGNS
from tests.api.fabric_service import with_default_fabric
from tests.api.service import Service
from tuner.campaign.shipped import shipped_campaigns
from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.documents.workload import Workload
from tuner.fabric.built_fabric import BuiltFabric
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.subnets import of_subnet
from tuner.fabric.topologies.base import generate
from tuner.placement.on_fabric import OnFabric, on_fabric

PLAN = f"{CAMPAIGNS}/plan"


def add_fabric(service: Service, fabric: FabricDocument) -> None:
    body = {"name": fabric.name, "kind": "simulated", "options": {"document": fabric_text(fabric)}}
    answer = service.as_role("admin").post("/api/v1/fabrics", json=body)
    assert answer.status_code == 201, answer.text


def body(fabric: str, settings: dict[str, Any] | None = None, template: str = "scenario-1") -> dict[str, Any]:
    return {"name": "c", "fabric": fabric, "template": template, "settings": settings or {}}


@pytest.fixture
def stranger(service: Service) -> Service:
    add_fabric(service, generate("dragonfly", a=4, p=2, h=2, name="stranger"))
    return service


def test_a_plan_tells_hosts_links_and_cost_and_stores_nothing(stranger: Service) -> None:
    operator = stranger.as_role("operator")
    plan = operator.post(PLAN, json=body("stranger", {"roles.contributors": 6, "roles.sharing": 3}))
    assert plan.status_code == 200, plan.text
    (workload,) = plan.json()["workloads"]
    assert workload["counts"] == {"contributors": 6, "victims": 1, "sharing": 3, "hosts": None}
    assert workload["roles"] == {"victim": 1, "contributor": 6}
    assert (workload["placed"], len(workload["hotspots"])) == (True, 1)
    assert [(one["flow"], len(one["contributors"])) for one in workload["shared"]] == [("F1", 3)]
    cost = plan.json()["cost"]
    assert cost["cpu_s"] > 0
    assert cost["packet_hops"] / cost["cpu_s"] == pytest.approx(cost["hops_per_cpu_s"])
    assert operator.get(CAMPAIGNS).json()["items"] == []
    assert stranger.as_role("viewer").post(PLAN, json=body("stranger")).status_code == 403


def elsewhere_the_same(files: Mapping[str, str], monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """A later release that prefers other hosts goes on with those that a campaign was given."""

    def later(workload: Workload, built: BuiltFabric, **options: Any) -> OnFabric:
        directory = built.hosts
        hosts = [directory.reference(end) for end in directory.endports if end.kind == "host"]
        return on_fabric(workload, built, **options | {"hosts": hosts[::-1]})

    before = setup_of(files, {}, folder)
    monkeypatch.setattr("tuner.placement.grounds.on_fabric", later)
    monkeypatch.setattr("tuner.campaign.scenarios.build.on_fabric", later)
    after = setup_of(files, {}, folder)
    assert after.identity() == before.identity()
    document = json.loads(files[DOCUMENT])
    placed = document["scenarios"].pop("placed")
    assert {(roles["contributors"], roles["place"]) for roles in placed} == {
        (None, 1),
        *((scenario.point.contributors, scenario.point.place) for scenario in before.scenarios),
    }
    free = setup_of({**files, DOCUMENT: json.dumps(document)}, {}, folder)
    assert free.identity() != before.identity(), "the hosts are others without what was kept"


@pytest.mark.long
@pytest.mark.parametrize("template", [name for name in shipped_campaigns() if name != "forests-648"])
def test_every_template_is_made_on_a_stranger_s_fabric(
    stranger: Service, template: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fabric = "stranger"
    if template.endswith("-dcqcn"):
        fabric = "quantum"
        add_fabric(stranger, generate("dragonfly", a=4, p=2, h=2, name=fabric, congestion_control="nvidia-dcqcn"))
    made = stranger.as_role("operator").post(CAMPAIGNS, json=body(fabric, template=template))
    assert made.status_code == 201, made.text
    with stranger.database.reading() as session:
        files = session.get_one(StoredCampaign, made.json()["id"]).files
    document = json.loads(files[DOCUMENT])
    has_scenarios = "scenarios" in document
    assert has_scenarios or not {"fabric", "roles"} & set(document)
    planned = stranger.as_role("operator").get(f"{CAMPAIGNS}/{made.json()['id']}/plan").json()
    assert planned["cost"]["cpu_s"] > 0
    if has_scenarios:  # which keep the roles of the workloads, for a challenge, and the hosts that these have
        assert document["workloads"] == ["scenario-1"]
        elsewhere_the_same(files, monkeypatch, tmp_path)
        return
    for workload, told in zip(document["workloads"], planned["workloads"], strict=True):
        frozen = json.loads(files[workload])
        assert "roles" not in frozen
        assert frozen["flows"] or frozen["patterns"]
        assert len(told["flows"]) >= max(1, len(frozen["flows"]))
        assert frozen["fabric"] == "../fabric.yaml"


@pytest.mark.long
def test_a_template_for_devices_that_the_fabric_lacks_is_refused_with_the_reason(stranger: Service) -> None:
    refused = stranger.as_role("operator").post(CAMPAIGNS, json=body("stranger", template="incast-32-dcqcn"))
    assert refused.status_code == 422
    assert "sets what no switch of fabric 'stranger' has: its switches are of dialect a10" in refused.text


def test_the_paper_s_bed_has_the_packaged_workload(service: Service) -> None:
    with_default_fabric(service)
    made = service.as_role("operator").post(CAMPAIGNS, json=body("two-switch"))
    with service.database.reading() as session:
        files = session.get_one(StoredCampaign, made.json()["id"]).files
    assert json.loads(files[DOCUMENT])["workloads"] == ["scenario-1"]


@pytest.mark.parametrize("path", [CAMPAIGNS, PLAN])
def test_what_has_no_place_is_refused_at_once(service: Service, path: str) -> None:
    add_fabric(service, generate("leaf-spine", leaves=3, spines=1, hosts_per_leaf=1, name="three"))
    refused = service.as_role("operator").post(path, json=body("three"))
    assert refused.status_code == 422
    assert "workload 'scenario-1' needs at least 5 hosts, " in refused.text
    assert "and there are 3" in refused.text


def test_a_host_that_is_not_there_is_told_with_three_others(stranger: Service) -> None:
    operator = stranger.as_role("operator")
    flows = [{"name": "A", "src": "node-17", "dst": "H1"}]
    document = json.dumps({"ibcc_workload": 1, "name": "mine", "fabric": "two-switch", "duration_s": 1, "flows": flows})
    assert operator.post("/api/v1/workloads", json={"name": "mine", "document": document}).status_code == 201
    refused = operator.post(CAMPAIGNS, json=body("stranger", {"workloads": ["mine"]}))
    assert refused.status_code == 422
    assert "unknown host 'node-17'; known are H1, H2, H3 and 69 more" in refused.text
    assert "/tmp" not in refused.text


def test_a_clone_moves_to_another_fabric(stranger: Service) -> None:
    add_fabric(stranger, generate("torus", dims=[4, 4, 3], hosts_per_switch=2, name="torus"))
    operator = stranger.as_role("operator")
    made = operator.post(CAMPAIGNS, json=body("stranger", {"roles.contributors": 6})).json()
    clone = operator.post(f"{CAMPAIGNS}/{made['id']}/clone", json={"name": "moved", "fabric": "torus"})
    assert clone.status_code == 201, clone.text
    assert clone.json()["spec"]["roles"] == {"contributors": 6}
    with stranger.database.reading() as session:
        frozen = json.loads(session.get_one(StoredCampaign, clone.json()["id"]).files["workloads/scenario-1.json"])
    assert len(frozen["flows"]) == 7


def test_a_document_s_fabric_is_the_campaign_s(stranger: Service) -> None:
    refused = stranger.as_role("operator").post(CAMPAIGNS, json=body("stranger", {"fabric": "two-switch"}))
    assert refused.status_code == 422
    assert "in the service" in refused.text or "of the service" in refused.text


def test_a_campaign_on_planes_names_one_of_them(service: Service, shared: Path) -> None:
    planes = import_fabric(shared / "cases/c06-planes.net", name="planes").with_congestion_control("a10").fabric
    add_fabric(service, planes)
    operator = service.as_role("operator")
    (told,) = [one["subnet"] for one in operator.get("/api/v1/fabrics/planes/routing").json()["subnets"]][1:2]
    refused = operator.post(PLAN, json=body("planes", template="protect-a-victim"))
    assert refused.status_code == 422
    assert "has 4 subnets, which no link joins" in refused.text
    made = operator.post(CAMPAIGNS, json=body("planes", {"subnet": told}, template="protect-a-victim"))
    assert made.status_code == 201, made.text
    assert made.json()["spec"]["subnet"] == 2
    with service.database.reading() as session:
        stored = session.get(StoredCampaign, made.json()["id"])
        assert stored is not None
        workload = json.loads(stored.files["workloads/protect-a-victim.json"])
    assert workload["fabric"] == "../fabric.yaml#2"
    hosts = {flow[end] for flow in workload["flows"] for end in ("src", "dst")}
    assert hosts <= {host.name for host in of_subnet(planes, 2).hosts}


def test_a_campaign_says_what_the_routing_carries_that_its_simulations_rest_on(service: Service) -> None:
    add_fabric(service, generate("k-ary-n-tree", k=3, n=3, routing="minhop", name="crowded"))
    operator = service.as_role("operator")
    made = operator.post(CAMPAIGNS, json=body("crowded", {"roles.contributors": 4, "roles.sharing": 2}))
    assert made.status_code == 201, made.text
    shown = operator.get(f"{CAMPAIGNS}/{made.json()['id']}").json()["capacity"]
    assert shown["routing"] == "minhop"
    assert made.json()["capacity"] == shown
    assert shown["warning"].startswith("by routing minhop, fabric 'crowded' carries ")
    assert len(shown["ways_out"]) == 3
    assert operator.get(CAMPAIGNS).json()["items"][0]["capacity"] is None
