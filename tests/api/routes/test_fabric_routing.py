# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The routing of a fabric by REST: what it carries, the advised line with its files, and trials of it."""

import io
import zipfile
from typing import Any

import pytest

from tests.api.answer_cases import API
from tests.api.fabric_service import FABRIC, once, run_jobs, with_default_fabric
from tests.api.service import Service
from tuner.documents import catalogue
from tuner.documents.fabric_text import fabric_text
from tuner.fabric.topologies.base import generate

TREE = f"{API}/fabrics/tree"
ROUTING = f"{TREE}/routing"


@pytest.fixture
def client(service: Service) -> Any:
    """An operator of a service that has a tree with minhop, which carries little there."""
    with_default_fabric(service)
    document = fabric_text(generate("k-ary-n-tree", k=3, n=3, routing="minhop"))
    body = {"name": "tree", "kind": "simulated", "options": {"document": document}}
    assert service.as_role("admin").post(f"{API}/fabrics", json=body).status_code == 201
    return service.as_role("operator")


def test_a_viewer_reads_what_the_routing_carries_and_the_line(service: Service, client: Any) -> None:
    found = service.as_role("viewer").get(ROUTING).json()
    carried = found["advice"]["capacity"]
    assert carried["routing"] == "minhop"
    assert carried["of_best"] < 0.5
    assert carried["warning"].startswith("by routing minhop, fabric 'k-ary")
    assert carried["orders"]["low"] <= carried["orders"]["median"] <= carried["orders"]["high"]
    assert found["line"]["text"] == "opensm -R ftree,updn -a /etc/opensm/root-guids -u /etc/opensm/cn-guids"
    assert (found["version"], found["trial"], found["job"]) == (1, None, None)
    assert found["untried"] == "nobody has tried this line on the fabric"


def test_files_come_each_or_in_one_archive(client: Any) -> None:
    names = client.get(ROUTING).json()["line"]["files"]
    answer = client.get(f"{ROUTING}/files", params={"folder": "/opt/sm"})
    assert answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert list(texts) == names
    assert "root_guid_file /opt/sm/root-guids\n" in texts["opensm.conf"]
    assert client.get(f"{ROUTING}/files/cn-guids").text == texts["cn-guids"]
    assert len(texts["cn-guids"].splitlines()) == 27
    missing = client.get(f"{ROUTING}/files/passwd")
    assert (missing.status_code, missing.json()["detail"]) == (
        404,
        "The line of fabric 'tree' has no file 'passwd'; it has root-guids, cn-guids, opensm.conf.",
    )
    assert client.get(f"{ROUTING}/files", params={"folder": "/a b"}).status_code == 422


def test_a_fabric_without_known_wiring_has_no_advice(service: Service, client: Any) -> None:
    assert service.as_role("admin").post(f"{API}/fabrics", json={"name": "far", "kind": "plugin"}).status_code == 201
    for path in ("routing", "routing/files", "routing/files/opensm.conf"):
        answer = client.get(f"{API}/fabrics/far/{path}")
        assert answer.status_code == 409
        assert "its routing; give it as options.document" in answer.json()["detail"]
    assert client.post(f"{API}/fabrics/far/routing/trial", headers=once()).status_code == 409


@pytest.mark.long
@pytest.mark.usefixtures("infiniband_programs")
def test_an_operator_has_the_line_tried(service: Service, client: Any) -> None:
    assert service.as_role("viewer").post(f"{ROUTING}/trial", headers=once()).status_code == 403
    job = client.post(f"{ROUTING}/trial", headers=once()).json()
    assert (job["kind"], job["title"]) == ("routing_trial", "Trial of a line of OpenSM")
    assert client.get(ROUTING).json()["job"] == job["id"]
    assert client.post(f"{ROUTING}/trial", headers=once()).status_code == 409
    assert run_jobs(service, client, job["id"])["state"] == "done"
    found = client.get(ROUTING).json()
    assert (found["trial"]["engine"], found["trial"]["share"], found["untried"], found["job"]) == ("ftree", 1.0, None, None)
    assert found["tried_at"] is not None
    audited = service.as_role("admin").get(f"{API}/audit").json()["items"]
    assert any(one["action"] == "fabric.routing_trial" for one in audited)
    changed = service.as_role("admin").patch(
        TREE, json={"options": {"document": fabric_text(generate("leaf-spine", leaves=2, spines=2, hosts_per_leaf=2))}},
        headers={"If-Match": "*"},
    )  # fmt: skip
    assert changed.status_code == 200
    assert client.get(ROUTING).json()["trial"] is None, "it was another wiring"


def test_a_failed_trial_says_why_nobody_has_tried_it(service: Service, client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda program, path=None: None)
    job = client.post(f"{ROUTING}/trial", headers=once()).json()
    assert run_jobs(service, client, job["id"])["state"] == "failed"
    sentence = client.get(ROUTING).json()["untried"]
    assert sentence.startswith("nobody has tried this line on the fabric: ")
    assert "opensm is not installed" in sentence


def test_a_low_share_stands_where_simulations_rest_on_it(service: Service, client: Any) -> None:
    question = {"contributors": {"most": 4}}
    (warning,) = client.post(f"{TREE}/suggestion", json=question).json()["warnings"]
    assert "less than half of the 100% that its links could" in warning
    whole = client.post(f"{FABRIC}/suggestion", json={"workloads": ["scenario-1"]})
    assert whole.json()["warnings"] == []
    for path, document in (("checks", "ibcc_check: 1\nkinds: [{kind: tables}]\n"), ("campaigns", campaign())):
        found = client.post(f"{API}/{path}/validate", json={"document": document, "fabric": "tree"}).json()
        assert [one["detail"] for one in found["warnings"]] == [warning]
        assert client.post(f"{API}/{path}/validate", json={"document": document, "fabric": "two-switch"}).json()["warnings"] == []


def campaign() -> str:
    return catalogue.find("campaign", "tail-latency").read_text()
