# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns on a fabric with real hosts take its inventory. The cluster is a pretended one, as nobody has one for tests."""

from pathlib import Path

import pytest

from api.database.models.campaign import StoredCampaign
from api.services.campaigns.files import INVENTORY as FILE
from tests.api.answer_cases import INVENTORY
from tests.api.campaign_service import CAMPAIGNS, SHORT, act, created, seen
from tests.api.cluster_service import WHERE, with_cluster
from tests.api.fabric_service import once, run_jobs
from tests.api.host_site import with_inventory
from tests.api.service import Service
from tests.tuner.hosts.fake_cluster import FakeCluster
from tuner.backends import cluster
from tuner.documents.inventory import Inventory, load_inventory
from tuner.measuring.options import BackendOptions


@pytest.fixture
def site(service: Service) -> Service:
    return with_cluster(service)


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[Inventory]:
    """The inventories that drivers were given."""
    given: list[Inventory] = []

    def driver(name: str | None, options: BackendOptions) -> FakeCluster:
        given.append(load_inventory(options.settings["backend.inventory"]))
        return FakeCluster()

    monkeypatch.setattr(cluster, "_driver", driver)
    return given


def test_without_an_inventory_a_campaign_is_refused(site: Service) -> None:
    operator, admin = site.as_role("operator"), site.as_role("admin")
    body = {"name": "short", "fabric": "cluster", "template": "scenario-1", "settings": SHORT}
    refused = operator.post(CAMPAIGNS, json=body)
    assert refused.status_code == 422
    assert "fabric 'cluster' has no inventory" in refused.json()["detail"]
    assert created(operator, fabric="cluster", on_simulator=True)["state"] == "draft"
    with_inventory(admin, INVENTORY, WHERE)
    draft = created(operator, fabric="cluster")
    assert admin.delete(f"{WHERE}/inventory", headers={"If-Match": "*"}).status_code == 204
    late = act(operator, draft, "start")
    assert (late.status_code, "has no inventory" in late.json()["detail"]) == (409, True)


def test_a_workload_with_a_host_that_the_inventory_lacks_is_refused_at_once(site: Service) -> None:
    operator, admin = site.as_role("operator"), site.as_role("admin")
    with_inventory(admin, INVENTORY.replace("[1-7]", "[1-6]"), WHERE)
    refused = operator.post(CAMPAIGNS, json={"name": "short", "fabric": "cluster", "template": "scenario-1", "settings": SHORT})
    assert (refused.status_code, refused.json()["type"]) == (422, "/problems/invalid-input")
    assert refused.json()["detail"] == "workload 'scenario-1' needs host 'H7', which is not in inventory 'lab'"
    assert operator.get(CAMPAIGNS).json()["items"] == []
    assert created(operator, fabric="cluster", on_simulator=True)["state"] == "draft"


@pytest.mark.thorough
@pytest.mark.long
def test_a_campaign_takes_the_hosts_as_they_are_when_it_starts(site: Service, taken: list[Inventory]) -> None:
    operator, admin = site.as_role("operator"), site.as_role("admin")
    with_inventory(admin, INVENTORY, WHERE)
    draft = created(operator, fabric="cluster", settings={"budget.trials": 2})
    changed = {"document": INVENTORY.replace("node[", "big[")}
    assert admin.put(f"{WHERE}/inventory", json=changed, headers={"If-Match": "*"}).status_code == 200
    assert act(operator, draft, "start").status_code == 202
    job = run_jobs(site, operator, seen(operator, draft)["job"], 240)
    assert job["state"] == "done", job
    ended = seen(operator, draft)
    assert (ended["state"], ended["trials_done"]) == ("finished", 2)
    assert taken[0].by_host["H1"].node == "big1"
    assert (taken[0].subnet_manager.socket, taken[0].subnet_manager.node) == ("/run/ibcc/nowhere.sock", None)
    folder = site.settings.state_folder / "campaigns" / draft["id"]
    assert Path(taken[0].fabric) == (folder / "fabric.yaml").absolute()
    assert (folder / FILE).is_file()


def test_no_check_disturbs_a_measurement(site: Service) -> None:
    operator = site.as_role("operator")
    with_inventory(site.as_role("admin"), INVENTORY, WHERE)
    draft = created(operator, fabric="cluster")
    with site.database.writing() as session:
        session.get_one(StoredCampaign, draft["id"]).state = "running"
    refused = operator.post(f"{WHERE}/hosts/check", headers=once())
    assert (refused.status_code, refused.json()["type"]) == (409, "/problems/busy")
    assert draft["id"] in refused.json()["detail"]
