# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Goals of campaigns, by REST: what a fabric can have of them, who may ask, that it is kept, and a campaign to its trials."""

from collections.abc import Iterator
from typing import Any

import pytest

from api.configuration.settings import Settings
from api.database.models.fabric import FabricRecord
from api.services.campaigns import offers as offers_service
from tests.api.campaign_service import CAMPAIGNS, act, created, seen
from tests.api.fabric_service import run_jobs
from tests.api.import_service import IMPORTS, imported, kept
from tests.api.service import Service
from tuner.documents import catalogue
from tuner.documents.fabric_text import fabric_text
from tuner.fabric.topologies.base import generate

TEMPLATES = "/api/v1/campaign-templates"
FABRICS = "/api/v1/fabrics"
BRIEF: dict[str, Any] = {
    "budget.trials": 2,
    "budget.time_s": None,
    "time_scale": 0.2,
    "parallel": 1,
    "confirmation": {"seeds": [101], "time_scale": 0.2, "front": 1},
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """`quantum`: a tree of 32 hosts with NVIDIA's devices; `strange`: one of unknown ones; `small`: three hosts."""
    service = Service(Settings(state_folder=tmp_path_factory.mktemp("goals") / "state", workers=0))
    admin = service.as_role("admin")
    tree = fabric_text(generate("leaf-spine", leaves=4, spines=2, hosts_per_leaf=8, host_rate="4xHDR", switch_rate="4xHDR"))
    small = fabric_text(generate("leaf-spine", leaves=3, spines=1, hosts_per_leaf=1))
    quantum, strange = (f"{tree}congestion_control: {dialect}\n" for dialect in ("nvidia-dcqcn", "unknown"))
    for name, document in {"quantum": quantum, "strange": strange, "small": small}.items():
        body = {"name": name, "kind": "simulated", "options": {"document": document}}
        assert admin.post(FABRICS, json=body).status_code == 201
    assert admin.post(FABRICS, json={"name": "unwired", "kind": "plugin"}).status_code == 201
    yield service
    service.close()


def offers(service: Service, fabric: str, **role: Any) -> dict[str, Any]:
    answer = service.as_role("viewer", **role).get(TEMPLATES, params={"fabric": fabric})
    assert answer.status_code == 200, answer.text
    return {one["name"]: one["offer"] for one in answer.json()["items"]}


def test_without_a_fabric_nothing_is_tried(site: Service) -> None:
    items = site.as_role("viewer").get(TEMPLATES).json()["items"]
    assert items[0]["name"] == "protect-a-victim"
    assert {one["offer"] for one in items} == {None}


def test_a_fabric_is_told_what_it_can_have_and_it_is_kept(site: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    found = offers(site, "quantum")
    assert found["protect-a-victim"]["offered"], found
    assert found["protect-a-victim"]["share"] <= 0.7
    assert found["protect-a-victim"]["busy"] >= 0.25
    with site.database.reading() as session:
        record = session.get(FabricRecord, "quantum")
        assert record is not None
        assert record.goals is not None

    tried: list[str] = []

    def noted(_: Any, *, fabric: str) -> list[Any]:
        tried.append(fabric)
        return []

    monkeypatch.setattr(offers_service, "offers", noted)
    assert offers(site, "quantum") == found
    assert tried == []
    # Another wiring is another fabric.
    admin = site.as_role("admin")
    known = admin.get(f"{FABRICS}/quantum")
    options = known.json()["options"] | {"document": known.json()["options"]["document"].replace("4xHDR", "4xEDR")}
    body = {"options": options}
    changed = admin.patch(f"{FABRICS}/quantum", json=body, headers={"If-Match": known.headers["ETag"]})
    assert changed.status_code == 200, changed.text
    offers(site, "quantum")
    assert tried == ["quantum"]


@pytest.mark.parametrize(
    ("fabric", "said"),
    [("strange", "is not known; say it"), ("small", "there are 3"), ("unwired", "The wiring of fabric 'unwired' is unknown")],
)
def test_what_a_fabric_cannot_have_says_why(site: Service, fabric: str, said: str) -> None:
    found = offers(site, fabric)
    assert not found["protect-a-victim"]["offered"]
    assert said in found["protect-a-victim"]["reason"]


def test_who_may_not_use_a_fabric_learns_nothing_of_it(site: Service) -> None:
    assert site.as_role("viewer", fabrics=["small"]).get(TEMPLATES, params={"fabric": "quantum"}).status_code == 403
    assert site.as_role("viewer").get(TEMPLATES, params={"fabric": "nowhere"}).status_code == 404


@pytest.mark.long
def test_a_goal_on_quantum_runs_with_fields_of_its_devices(site: Service) -> None:
    operator = site.as_role("operator")
    body = {"name": "cure", "fabric": "quantum", "template": "protect-a-victim", "settings": BRIEF}
    plan = operator.post(f"{CAMPAIGNS}/plan", json=body).json()
    assert {path.split(".")[0] for path in plan["space"]} == {"nvidia"}
    assert plan["published"].startswith("hpcc-dcqcn at ")
    assert plan["workloads"][0]["groups"] == 1
    campaign = created(operator, **body)
    assert "space" not in campaign["spec"], "the document stays as it was asked for"
    job = run_jobs(site, operator, act(operator, campaign, "start").json()["job"])
    assert job["state"] == "done", job
    done = seen(operator, campaign)
    assert (done["state"], done["trials_done"]) == ("finished", 2)
    (trial, _) = seen(operator, campaign, "/trials")["items"]
    assert all(path.startswith("nvidia.") for path in trial["params"])
    assert "nvidia:" in seen(operator, campaign, "/trials/0")["profile_yaml"]
    # On another fabric the same document searches what the devices there have.
    clone = operator.post(f"{CAMPAIGNS}/{campaign['id']}/clone", json={"name": "again", "fabric": "quantum"})
    assert clone.status_code == 201, clone.text


def test_an_import_asks_for_what_is_not_known(service: Service) -> None:
    client = service.as_role("admin")
    text = catalogue.find("fabric", "two-switch").read_text().replace("links:", "congestion_control: unknown\nlinks:")
    one = imported(service, client, text.encode(), file_name="strange.yaml")
    assert one["preview"]["unknown_devices"] == 9
    again = client.post(f"{IMPORTS}/{one['id']}/reread", json={"congestion_control": "a10"})
    assert again.status_code == 202, again.text
    run_jobs(service, client, again.json()["job"])
    read = client.get(f"{IMPORTS}/{one['id']}").json()
    assert (read["state"], read["preview"]["unknown_devices"], read["options"]["congestion_control"]) == ("ready", 0, "a10")
    refused = client.post(f"{IMPORTS}/{one['id']}/reread", json={"congestion_control": "annex"})
    assert refused.status_code == 422
    assert kept(client, read, "known").status_code == 200
