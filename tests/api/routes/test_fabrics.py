# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path
from typing import Any

import pytest

from tests.api.fabric_service import FABRIC, with_default_fabric
from tests.api.service import Service
from tuner.documents.catalogue import find


def test_the_default_fabric_is_made_once(service: Service) -> None:
    with_default_fabric(service)
    with_default_fabric(service)
    items = service.as_role("viewer").get("/api/v1/fabrics").json()["items"]
    assert [(item["name"], item["kind"]) for item in items] == [("two-switch", "simulated")]


def test_a_fabric_is_added_changed_and_deleted_by_an_admin(service: Service) -> None:
    with_default_fabric(service)
    admin = service.as_role("admin")
    document = find("fabric", "two-switch").read_text()
    answer = admin.post("/api/v1/fabrics", json={"name": "own", "kind": "simulated", "options": {"document": document}})
    assert answer.status_code == 201, answer.text
    path = answer.headers["Location"]
    assert (
        admin.post("/api/v1/fabrics", json={"name": "own", "kind": "simulated", "options": {"fabric": "two-switch"}}).status_code
        == 409
    )
    tag = admin.get(path).headers["ETag"]
    assert admin.patch(path, json={"description": "x"}).status_code == 428
    assert admin.patch(path, json={"description": "x"}, headers={"If-Match": '"99"'}).status_code == 412
    changed = admin.patch(path, json={"description": "x"}, headers={"If-Match": tag})
    assert changed.json()["description"] == "x"
    assert admin.delete(path, headers={"If-Match": tag}).status_code == 412
    assert admin.delete(path, headers={"If-Match": changed.headers["ETag"]}).status_code == 204
    assert admin.get(path).status_code == 404
    actions = [entry["action"] for entry in admin.get("/api/v1/audit", params={"fabric": "own"}).json()["items"]]
    assert actions == ["fabric.delete", "fabric.change", "fabric.create"]


def test_a_list_of_fabrics_stays_small_however_large_they_are(service: Service) -> None:
    admin = service.as_role("admin")
    document = find("fabric", "two-switch").read_text() + "#" * 1_000_000
    for name in ("large", "larger"):
        body = {"name": name, "kind": "simulated", "options": {"document": document}, "description": "Of many hosts."}
        assert admin.post("/api/v1/fabrics", json=body).status_code == 201
    answer = admin.get("/api/v1/fabrics")
    assert len(answer.content) < 2000
    assert [(item["name"], item["description"]) for item in answer.json()["items"]] == [
        ("large", "Of many hosts."),
        ("larger", "Of many hosts."),
    ]
    assert answer.json()["items"][0]["options_summary"] == f"document of {len(document):,} characters"
    assert admin.get("/api/v1/fabrics/large").json()["options"] == {"document": document}


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({"name": "x", "kind": "simulated"}, "options.fabric"),
        ({"name": "x", "kind": "magic"}, "magic"),
        ({"name": "X/../y", "kind": "simulated"}, "name"),
        ({"name": "x", "kind": "simulated", "options": {"fabric": "/etc/passwd"}}, "unknown fabric"),
        ({"name": "x", "kind": "plugin", "options": {"socket": "http://169.254.169.254/"}}, "absolute path"),
        ({"name": "x", "kind": "simulated", "options": {"document": "a: !!python/object:os.system x"}}, "tag"),
        ({"name": "x", "kind": "emulated", "options": {"fabric": "two-switch", "model": {"switch.nonsense": 1}}}, "nonsense"),
    ],
)
def test_options_that_make_no_fabric_are_refused(calm_service: Service, body: dict[str, Any], word: str) -> None:
    answer = calm_service.as_role("admin").post("/api/v1/fabrics", json=body)
    assert answer.status_code == 422, answer.text
    assert word in answer.text


def test_a_fabric_that_cannot_be_reached_is_an_answer_with_the_reason(service: Service, tmp_path: Path) -> None:
    with_default_fabric(service)
    admin = service.as_role("admin")
    options = {"socket": str(tmp_path / "nowhere.sock")}
    assert admin.post("/api/v1/fabrics", json={"name": "site", "kind": "plugin", "options": options}).status_code == 201
    state = admin.get("/api/v1/fabrics/site/state").json()
    assert state["reachable"] is False
    assert "nowhere.sock" in state["reason"]
    assert admin.get("/api/v1/fabrics/site/devices").status_code == 503
    assert admin.post("/api/v1/fabrics/site/plan", json={"profile": "off"}).status_code == 503


def test_the_wiring_of_a_fabric_that_was_never_reached_is_shown_and_nothing_is_claimed(service: Service, tmp_path: Path) -> None:
    admin = service.as_role("admin")
    options = {"socket": str(tmp_path / "nowhere.sock"), "fabric": "two-switch"}
    assert admin.post("/api/v1/fabrics", json={"name": "site", "kind": "plugin", "options": options}).status_code == 201
    site = "/api/v1/fabrics/site"
    rows = admin.get(f"{site}/devices").json()["items"]
    assert len(rows) == 9
    assert {(row["state"], row["detail"], *row["marks"]) for row in rows} == {("unknown", "never seen")}
    detail = admin.get(f"{site}/devices/{rows[0]['guid']}").json()
    assert (detail["state"], detail["tables"], detail["ports"] != []) == ("unknown", [], True)
    assert admin.get(f"{site}/devices/0x00000000deadbeef").status_code == 404
    drawn = admin.get(f"{site}/topology").json()
    assert {tuple(node["marks"]) for level in drawn["levels"] for node in level["nodes"]} == {()}
    assert {link["down"] for link in drawn["links"]} == {0}
    assert admin.get(f"{site}/topology/changes", params={"since": drawn["version"]}).json()["whole"] is None
    assert {row["up"] for row in admin.get(f"{site}/links").json()["items"]} == {None}
    hosts = [one["guid"] for one in admin.get(f"{site}/topology/nodes", params={"q": "H"}).json()["items"]]
    assert len(admin.get(f"{site}/path", params={"from": hosts[0], "to": hosts[-1]}).json()["hops"]) > 2
    congestion = admin.get(f"{site}/congestion").json()
    assert (congestion["source"], congestion["devices"]) == ("none", [])
    assert "cannot be reached" in congestion["unread"]


def test_devices_are_found_by_part_of_a_name_and_come_in_pages(calm_service: Service) -> None:
    viewer = calm_service.as_role("viewer")
    assert len(viewer.get(f"{FABRIC}/devices").json()["items"]) == 9
    switches = viewer.get(f"{FABRIC}/devices", params={"kind": "switch"}).json()["items"]
    assert len(switches) == 2
    found = viewer.get(f"{FABRIC}/devices", params={"q": switches[0]["name"].lower()}).json()["items"]
    assert switches[0] in found
    page = viewer.get(f"{FABRIC}/devices", params={"limit": 4}).json()
    rest = viewer.get(f"{FABRIC}/devices", params={"limit": 200, "cursor": page["next_cursor"]}).json()
    guids = [(one["guid"], one["port"]) for one in page["items"] + rest["items"]]
    assert len(set(guids)) == 9
    assert viewer.get(f"{FABRIC}/devices", params={"state": "drifted"}).json()["items"] == []


MIXED = (
    "congestion_control: [{dialect: nvidia-dcqcn}, {nodes: [S2, H5], dialect: both}, {nodes: [H4], dialect: a10}, "
    "{nodes: [H6], dialect: nvidia-ppcc}, {nodes: [H7], dialect: none}]\n"
)


@pytest.mark.parametrize("kind", ["simulated", "emulated"])
def test_a_fabrics_document_says_which_attributes_its_devices_have(service: Service, kind: str) -> None:
    admin = service.as_role("admin")
    document = find("fabric", "two-switch").read_text() + MIXED
    body = {"name": "lab", "kind": kind, "options": {"document": document}}
    assert admin.post("/api/v1/fabrics", json=body).status_code == 201
    state = admin.get("/api/v1/fabrics/lab/state").json()
    assert state["reachable"] is (kind == "simulated"), "no server runs here that would emulate it"
    counts = {"a10": 1, "nvidia": 5, "both": 2, "none": 1, "unknown": 0}
    assert state["dialects"] == {"documented": counts, "reported": None}
    for dialect, number in (counts if kind == "simulated" else {"unknown": 9, "nvidia": 0}).items():
        rows = admin.get("/api/v1/fabrics/lab/devices", params={"dialect": dialect}).json()["items"]
        assert len(rows) == number, dialect
        assert {row["dialect"] or "unknown" for row in rows} <= {dialect}
    assert admin.get("/api/v1/fabrics/lab/devices", params={"dialect": "klingon"}).status_code == 422


def test_nothing_is_claimed_of_the_attributes_of_a_real_fabric_by_its_document(service: Service, tmp_path: Path) -> None:
    admin = service.as_role("admin")
    options = {"socket": str(tmp_path / "nowhere.sock"), "document": find("fabric", "two-switch").read_text() + MIXED}
    assert admin.post("/api/v1/fabrics", json={"name": "site", "kind": "plugin", "options": options}).status_code == 201
    assert admin.get("/api/v1/fabrics/site/state").json()["dialects"] == {"documented": None, "reported": None}
    assert {row["dialect"] for row in admin.get("/api/v1/fabrics/site/devices").json()["items"]} == {None}


def test_a_device_shows_its_ports_and_its_tables(calm_service: Service) -> None:
    viewer = calm_service.as_role("viewer")
    switch = viewer.get(f"{FABRIC}/devices", params={"kind": "switch"}).json()["items"][0]
    detail = viewer.get(f"{FABRIC}/devices/{switch['guid']}").json()
    assert all(port["peer"]["name"] for port in detail["ports"])
    assert all(port["rate_gbps"] > 1 for port in detail["ports"])
    assert detail["tables"][0]["attribute"] == "SwitchCongestionSetting"
    assert viewer.get(f"{FABRIC}/devices/0x{1:016x}").status_code == 404
    assert viewer.get(f"{FABRIC}/devices/nonsense").status_code == 422


def test_the_picture_of_a_fabric(calm_service: Service) -> None:
    viewer = calm_service.as_role("viewer")
    picture = viewer.get(f"{FABRIC}/topology").json()
    assert [level["kind"] for level in picture["levels"]] == ["hosts", "leaf"]
    assert sum(len(level["nodes"]) for level in picture["levels"]) == 9
    refused = viewer.get(f"{FABRIC}/topology", params={"expand": "nonsense"})
    assert (refused.status_code, [one["field"] for one in refused.json()["errors"]]) == (422, ["expand"])
    assert viewer.get(f"{FABRIC}/congestion").json()["source"] == "none"


def test_a_token_for_other_fabrics_sees_none_of_it(calm_service: Service) -> None:
    other = calm_service.as_role("viewer", fabrics=["elsewhere"])
    assert other.get("/api/v1/fabrics").json()["items"] == []
    for path in ("", "/state", "/devices", "/topology", "/topology/nodes?q=H", "/links", "/congestion"):
        assert other.get(FABRIC + path).status_code == 403
