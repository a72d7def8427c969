# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The picture of a fabric: what is found in it, the paths through it, and what changes."""

from pathlib import Path
from typing import Any

import pytest

from api.database.models.fabric import Fabric
from api.fabric_drivers.base import Device
from api.services.topology_marks import marked
from tests.api.fabric_service import FABRIC
from tests.api.service import Service
from tests.tuner.fabric.test_subnets import RAILS
from tuner.documents.fabric import load_fabric
from tuner.documents.fabric_text import fabric_text
from tuner.fabric.importers.base import import_fabric

SUPERPOD = "/api/v1/fabrics/superpod"


@pytest.fixture(scope="module")
def pod(calm_service: Service, shared: Path) -> Any:
    """A viewer of a fabric that no example knows: 582 adapters, 69 of them of one name, on 40 switches."""
    imported = import_fabric(shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover")
    options = {"document": fabric_text(imported.fabric)}
    made = calm_service.as_role("admin").post(
        "/api/v1/fabrics", json={"name": "superpod", "kind": "simulated", "options": options}
    )
    assert made.status_code == 201, made.text
    return calm_service.as_role("viewer")


@pytest.mark.long
@pytest.mark.parametrize("text", ["a06-p1-dgx-02-c18 HCA-6", "0xe09d730300857b68", "e09d730300857b68"])
def test_a_node_is_found_with_what_must_be_opened_to_see_it(pod: Any, text: str) -> None:
    found = pod.get(f"{SUPERPOD}/topology/nodes", params={"q": text}).json()
    node = found["items"][0]
    assert (found["count"], node["name"]) == (1, "a06-p1-dgx-02-c18 HCA-6")
    picture = pod.get(f"{SUPERPOD}/topology", params={"expand": node["expand"]}).json()
    shown = [one["id"] for level in picture["levels"] for one in level["nodes"]]
    assert node["guid"] in shown
    assert node["guid"] not in [one["id"] for level in pod.get(f"{SUPERPOD}/topology").json()["levels"] for one in level["nodes"]]


def test_nodes_are_found_by_lid_and_many_are_counted(pod: Any) -> None:
    by_lid = pod.get(f"{SUPERPOD}/topology/nodes", params={"q": "233"}).json()
    assert by_lid["items"][0]["name"] == "MF0;A10-P1-IBSPINE-03:MQM9701/U1"
    assert by_lid["items"][0]["expand"] == []
    many = pod.get(f"{SUPERPOD}/topology/nodes", params={"q": "mt4129"}).json()
    assert (many["count"], len(many["items"])) == (69, 20)
    assert pod.get(f"{SUPERPOD}/topology/nodes", params={"q": "aggregation"}).json() == {"items": [], "count": 0}


def test_the_path_from_host_to_host_is_told_with_its_ports(pod: Any) -> None:
    nodes = {name: pod.get(f"{SUPERPOD}/topology/nodes", params={"q": name}).json()["items"][0] for name in ("520", "647")}
    ends = {"from": nodes["520"]["guid"], "to": nodes["647"]["guid"]}
    path = pod.get(f"{SUPERPOD}/path", params=ends).json()
    assert path["problem"] is None
    assert path["routing"] == "minhop"
    kinds = [hop["kind"] for hop in path["hops"]]
    assert kinds == ["host", "switch", "switch", "switch", "host"]
    links = pod.get(f"{SUPERPOD}/links", params={"limit": 200, "q": nodes["647"]["name"]}).json()["items"]
    assert len(links) == 1
    last, leaf = path["hops"][-1], path["hops"][-2]
    assert {(end["guid"], end["port"]) for end in (links[0]["a"], links[0]["b"])} == {
        (last["guid"], last["in_port"]),
        (leaf["guid"], leaf["out_port"]),
    }
    shown = {one["id"] for level in pod.get(f"{SUPERPOD}/topology").json()["levels"] for one in level["nodes"]}
    assert {hop["shown"] for hop in path["hops"]} <= shown


def test_a_path_is_in_the_rail_that_both_hosts_have(service: Service) -> None:
    """H1 has a port in either rail, the first in that of H2, the second in that of H3."""
    client = service.as_role("admin")
    body = {"name": "rails", "kind": "simulated", "options": {"document": RAILS}}
    assert client.post("/api/v1/fabrics", json=body).status_code == 201
    guids = {row["name"]: row["guid"] for row in client.get("/api/v1/fabrics/rails/devices").json()["items"]}

    def path(source: str, destination: str) -> dict[str, Any]:
        ends = {"from": guids[source], "to": guids[destination]}
        found: dict[str, Any] = client.get("/api/v1/fabrics/rails/path", params=ends).json()
        return found

    assert [hop["name"] for hop in path("H1", "H2")["hops"]] == ["H1", "A", "H2"]
    assert [hop["name"] for hop in path("H1", "H3")["hops"]] == ["H1", "B", "H3"]
    problem = "host 'H3' cannot be reached: it is in subnet 2, and 'H2' is in subnet 1; no link joins them."
    assert path("H2", "H3")["problem"] == problem


def test_a_path_needs_two_hosts(pod: Any) -> None:
    host = pod.get(f"{SUPERPOD}/topology/nodes", params={"q": "520"}).json()["items"][0]["guid"]
    switch = pod.get(f"{SUPERPOD}/topology/nodes", params={"q": "233"}).json()["items"][0]["guid"]
    for ends, field in (
        ({"from": host, "to": host}, "to"),
        ({"from": switch, "to": host}, "from"),
        ({"from": host, "to": "0x0000000000000001"}, "to"),
    ):
        answer = pod.get(f"{SUPERPOD}/path", params=ends)
        assert (answer.status_code, [one["field"] for one in answer.json()["errors"]]) == (422, [field])


def test_aggregation_nodes_are_known_as_such_and_nothing_is_claimed_of_them(pod: Any) -> None:
    rows = pod.get(f"{SUPERPOD}/devices", params={"kind": "aggregation", "limit": 200}).json()["items"]
    assert len(rows) == 40
    assert {(row["kind"], row["throttles"], row["rate"], row["firmware"]) for row in rows} == {("ca", None, "4xNDR", None)}
    assert {(row["vendor_id"], row["firmware_reason"]) for row in rows} == {(None, "not applicable")}
    assert {(row["state"], row["dialect"]) for row in rows} == {("unsupported", "none")}
    assert pod.get(f"{SUPERPOD}/devices/{rows[0]['guid']}").json()["tables"] == []
    assert pod.get(f"{SUPERPOD}/topology").json()["undrawn"] == {"aggregation": 40}
    hosts = pod.get(f"{SUPERPOD}/devices", params={"q": "520"}).json()["items"]
    assert [(row["lid"], row["throttles"], row["node_kind"]) for row in hosts] == [(520, True, "host")]
    assert len(pod.get(f"{SUPERPOD}/devices", params={"q": "520", "firmware": "unknown"}).json()["items"]) == 1
    assert pod.get(f"{SUPERPOD}/devices", params={"firmware": "31."}).json()["items"] == []


def test_a_fabric_that_was_not_measured_says_how_to_get_its_congestion(calm_service: Service) -> None:
    viewer = calm_service.as_role("viewer")
    source = viewer.get(f"{FABRIC}/topology").json()["congestion"]
    assert (source["source"], source["choices"]) == ("none", [])
    assert "campaign" in source["unread"].lower()


def test_changes_are_what_differs_and_a_forgotten_version_is_answered_whole(calm_service: Service) -> None:
    viewer = calm_service.as_role("viewer")
    before = viewer.get(f"{FABRIC}/topology").json()
    same = viewer.get(f"{FABRIC}/topology/changes", params={"since": before["version"]}).json()
    assert (same["version"], same["whole"], same["nodes"], same["links"]) == (before["version"], None, [], [])
    host, switch = (level["nodes"][0]["id"] for level in before["levels"])
    measured = {
        "profile": "night-1",
        "digest": "",
        "trial": 7,
        "devices": {host: 0.25, switch: 0.5},
        "ports": [[switch, 19, 0.5]],
    }
    kept = {"at": "2026-01-02T03:04:05+00:00", "campaign": "first", "workload": "w", "measured": {"recommended": measured}}
    with calm_service.database.writing() as session:
        session.get_one(Fabric, "two-switch").record.load = kept
    changes = viewer.get(f"{FABRIC}/topology/changes", params={"since": before["version"]}).json()
    assert {node["id"]: node["congestion"] for node in changes["nodes"]} == {host: 0.25, switch: 0.5}
    assert changes["congestion"]["profile"] == "night-1"
    assert changes["congestion"]["choices"] == [{"cc": "recommended", "profile": "night-1", "trial": 7, "is_base": False}]
    assert changes["version"] != before["version"]
    unknown = viewer.get(f"{FABRIC}/topology/changes", params={"since": "nobody's"}).json()
    assert unknown["whole"] == viewer.get(f"{FABRIC}/topology").json()
    other = viewer.get(f"{FABRIC}/topology", params={"cc": "off"}).json()["congestion"]
    assert other["cc"] == "recommended", "what was not measured cannot be shown"
    worst = viewer.get(f"{FABRIC}/congestion").json()["ports"]
    assert [(port["port"], port["congestion"], port["peer"]["name"]) for port in worst] == [(19, 0.5, worst[0]["peer"]["name"])]
    with calm_service.database.writing() as session:
        session.get_one(Fabric, "two-switch").record.load = None


def test_a_picture_with_other_nodes_is_sent_whole(pod: Any) -> None:
    since = pod.get(f"{SUPERPOD}/topology").json()["version"]
    group = pod.get(f"{SUPERPOD}/topology/nodes", params={"q": "520"}).json()["items"][0]["expand"]
    changes = pod.get(f"{SUPERPOD}/topology/changes", params={"since": since, "expand": group}).json()
    assert changes["whole"] == pod.get(f"{SUPERPOD}/topology", params={"expand": group}).json()


def _device(guid: int, **changes: Any) -> Device:
    known: dict[str, Any] = {"port": 1, "kind": "ca", "name": "H", "lid": 1, "present": True, "state": "applied"}
    return Device(guid=f"0x{guid:016x}", **(known | changes))


def test_devices_are_marked_by_what_is_known_of_them() -> None:
    document = load_fabric("two-switch")
    guids = [document.guid_of(node) for node in range(len(document.nodes))]
    rows = [_device(guid) for guid in guids[3:]]
    rows[0] = _device(guids[3], state="drifted")
    rows[1] = _device(guids[4], present=False, state="timing_out")
    found = marked(document, [*rows, _device(0xABCDE, name="stranger"), _device(0xABCDF, present=False)])
    marks = {node: sorted(own) for node, own in found.by_node(document).items()}
    assert marks == {0: ["missing"], 1: ["missing"], 2: ["missing"], 3: ["drifted"], 4: ["missing", "timing-out"]}
    assert [(one.name, one.marks) for one in found.unplaced] == [("stranger", ["new"])]
    assert marked(document, []).marks == {}, "while OpenSM starts, nothing is known"
