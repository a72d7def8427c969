# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric with real OpenSM and the real plugin, watched: each thing that happens to it is told within ten seconds, on the list,
in the state that the overview shows, and in the events that are kept."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.configuration.settings import Settings
from api.database.models.fabric import FabricRecord
from tests.api.fabric_service import await_job, once
from tests.api.service import Service
from tests.emulator.conftest import Bed, emulate, two_switch
from tests.opensm_plugin.conftest import library, load
from tests.opensm_plugin.plugin_process import SOON_TAKEN_OVER, Load
from tests.patience import within
from tuner.emulator.client import ControlClient

__all__ = ["emulate", "library", "load", "two_switch"]

API = "/api/v1"
LAB = f"{API}/fabrics/lab"
WITHIN_S = 10.0
UP_S = 120.0


TREE = """\
ibcc_fabric: 1
name: tree
mtu_bytes: 2048
switches: [{name: leaf-1, ports: 4}, {name: leaf-2, ports: 4}, {name: spine-1, ports: 2}, {name: spine-2, ports: 2}]
hosts: [{name: a}, {name: b}, {name: c}, {name: d}]
links:
- {a: leaf-1/1, b: a/1, rate: 4xEDR}
- {a: leaf-1/2, b: b/1, rate: 4xEDR}
- {a: leaf-2/1, b: c/1, rate: 4xEDR}
- {a: leaf-2/2, b: d/1, rate: 4xEDR}
- {a: leaf-1/3, b: spine-1/1, rate: 4xEDR}
- {a: leaf-1/4, b: spine-2/1, rate: 4xEDR}
- {a: leaf-2/3, b: spine-1/2, rate: 4xEDR}
- {a: leaf-2/4, b: spine-2/2, rate: 4xEDR}
"""
"""Each leaf has a link to each spine, so that one link may be down without anybody being lost."""


class Lab:
    def __init__(self, service: Service, **options: Any) -> None:
        self.service = service
        self.admin, self.viewer = service.as_role("admin"), service.as_role("viewer")
        body = {"name": "lab", "kind": "emulated", "options": options}
        made = self.admin.post(f"{API}/fabrics", json=body)
        assert made.status_code == 201, made.text
        self.until(lambda: bool((self.watch()["counts"] or {}).get("present")), UP_S)
        with service.database.reading() as session:
            runtime = session.get_one(FabricRecord, "lab").runtime
        self.emulator = ControlClient(path=Path(runtime["control_socket"]))
        self.seen = self.newest()

    def watch(self) -> Any:
        return self.viewer.get(f"{LAB}/watch").json()

    def state(self) -> Any:
        return self.viewer.get(f"{LAB}/state").json()

    def newest(self) -> int:
        items = self.viewer.get(f"{API}/events/kept", params={"limit": 1}).json()["items"]
        return int(items[0]["id"]) if items else 0

    def told(self) -> list[dict[str, Any]]:
        """Events since `seen`, oldest first."""
        items = self.viewer.get(f"{API}/events/kept", params={"limit": 200, "fabric": "lab"}).json()["items"]
        return [item for item in items[::-1] if item["id"] > self.seen]

    def hear(self, kind: str, name: str = "") -> dict[str, Any]:
        """Waits for an event; those before it are not looked at again."""
        found: list[dict[str, Any]] = []

        def heard() -> bool:
            found[:] = [one for one in self.told() if one["kind"] == kind and name in one["data"]["headline"]]
            return bool(found)

        self.until(heard, WITHIN_S)
        return found[0]

    def marks(self, name: str) -> list[str]:
        """As the device list has them."""
        rows = self.viewer.get(f"{LAB}/devices", params={"q": name}).json()["items"]
        [row] = [row for row in rows if row["name"] == name]
        marks: list[str] = row["marks"]
        return marks

    @staticmethod
    def until(holds: Callable[[], bool], within_s: float) -> None:
        began = time.monotonic()
        while not holds():
            took_s = time.monotonic() - began
            assert within(took_s, within_s), f"not within {within_s} s"
            time.sleep(0.3)


@pytest.fixture
def served(settings: Settings, library: Path, infiniband_programs: None) -> Iterator[Service]:
    service = Service(settings)
    settings.workers = 1
    with service.running():
        yield service
    service.close()


def test_what_happens_to_a_fabric_is_told_and_shown(served: Service) -> None:
    lab = Lab(served, fabric="two-switch", audit_interval_s=5)
    watch = lab.watch()
    assert (watch["reach"], watch["sm_state"], watch["current"], watch["severity"]) == ("reachable", "master", True, None)
    assert (watch["counts"]["present"], watch["counts"]["links"], watch["marked_devices"]) == (9, 8, 0)
    assert lab.told() == [], "it is as it was imported"

    lab.emulator.remove_node("H4")
    lost = lab.hear("device.lost", "H4")
    assert lost["severity"] == "warning"
    assert lab.marks("H4") == ["missing"]
    assert [(one["name"], one["marks"]) for one in lab.watch()["devices"]] == [("H4", ["missing"])]
    state = lab.state()
    assert (state["watch"]["counts"]["missing"], state["watch"]["severity"]) == (1, "warning")
    lab.emulator.add_node("H4")
    lab.hear("device.back", "H4")
    assert lab.marks("H4") == []
    assert lab.state()["watch"]["severity"] is None

    lab.emulator.reboot_node("H3")
    lab.hear("device.drifted", "H3")
    lab.hear("device.repaired", "H3")
    lab.emulator.set_link("S1", 19, up=False)
    assert lab.hear("device.lost", "S2")["severity"] == "error"
    assert lab.state()["watch"]["severity"] == "error"
    assert lab.state()["watch"]["counts"]["missing"] == 5, "S2 and the four hosts behind it"
    lab.emulator.set_link("S1", 19, up=True)
    lab.hear("device.back", "S2")

    fault = lab.emulator.add_fault("drop", "H6", class_=0x21)
    job = lab.admin.post(f"{LAB}/verify", headers=once()).json()["id"]
    lab.until(lambda: lab.marks("H6") == ["timing-out"], 30)
    lab.hear("device.timing-out", "H6")
    lab.emulator.clear_faults(fault)
    await_job(lab.admin, job)
    lab.until(lambda: lab.marks("H6") == [], 30)
    lab.hear("device.responding", "H6")
    before = lab.watch()["audited_at"]
    assert await_job(lab.admin, lab.admin.post(f"{LAB}/verify", headers=once()).json()["id"])["state"] == "done"
    lab.until(lambda: bool(lab.watch()["audited_at"] > before), WITHIN_S)
    lab.emulator.close()


def test_a_link_alone_is_told_and_drawn(served: Service) -> None:
    lab = Lab(served, document=TREE)
    lab.emulator.set_link("leaf-1", 3, up=False)
    down = lab.hear("link.down", "leaf-1")
    assert (down["severity"], down["data"]["rate"]) == ("warning", "4xEDR")
    watch = lab.watch()
    assert (watch["counts"]["links_down"], watch["severity"], watch["counts"]["missing"]) == (1, "warning", 0)
    assert [(one["a"]["name"], one["b"]["name"], one["up"]) for one in watch["links"]] == [("leaf-1", "spine-1", False)]
    drawn = lab.viewer.get(f"{LAB}/topology").json()["links"]
    assert sorted(link["down"] for link in drawn) == [0] * 7 + [1]
    rows = lab.viewer.get(f"{LAB}/links", params={"q": "leaf-1"}).json()["items"]
    assert sorted(row["up"] for row in rows) == [False, True, True, True]
    lab.emulator.set_link("leaf-1", 3, up=True)
    lab.hear("link.up", "leaf-1")
    assert lab.watch()["severity"] is None
    lab.emulator.close()


def test_a_fabric_that_is_gone_is_unknown_and_not_well(served: Service, load: Load, two_switch: Bed) -> None:
    """With a plugin of the site's own: a second OpenSM takes over, and then the socket is gone."""
    bed = load(two_switch)
    admin: TestClient = served.as_role("admin")
    with bed.opensm("off", options="--audit-interval-s 5", more_options=SOON_TAKEN_OVER, node="H7", state="first") as first:
        first.await_done()
        body = {"name": "lab", "kind": "plugin", "options": {"socket": str(first.setup.socket), "fabric": "two-switch"}}
        assert admin.post(f"{API}/fabrics", json=body).status_code == 201
        Lab.until(lambda: bool(admin.get(f"{LAB}/watch").json()["current"]), WITHIN_S)
        [row] = [row for row in admin.get(f"{LAB}/devices").json()["items"] if row["name"] == "S1"]
        bed.bed.clients.output("ibccconfig", "SS", str(row["lid"]), "0x1F", "0", "0", "3", "8", "0", "0:0", "5")
        Lab.until(lambda: {"device.drifted", "device.repaired"} <= set(kinds(admin)), 5 + WITHIN_S)
        with bed.opensm(more_options=SOON_TAKEN_OVER, node="H1", state="second", up=False):
            Lab.until(lambda: "sm.changed" in kinds(admin), WITHIN_S)
            watch = admin.get(f"{LAB}/watch").json()
            assert (watch["sm_state"], watch["current"], watch["severity"]) == ("standby", False, "warning")
            assert watch["as_of"] is not None
        Lab.until(lambda: bool(admin.get(f"{LAB}/watch").json()["current"]), 30)
    Lab.until(lambda: "fabric.unreachable" in kinds(admin), WITHIN_S)
    watch = admin.get(f"{LAB}/watch").json()
    assert (watch["reach"], watch["current"], watch["severity"]) == ("unreachable", False, "error")
    rows = admin.get(f"{LAB}/devices").json()["items"]
    assert {row["state"] for row in rows} == {"unknown"}
    assert all(row["detail"].startswith("as of ") for row in rows)
    assert admin.get(f"{LAB}/state").json()["watch"]["reach"] == "unreachable"
    with bed.opensm(more_options=SOON_TAKEN_OVER, node="H7", state="first"):
        Lab.until(lambda: "fabric.reachable" in kinds(admin), WITHIN_S)
    assert "device.lost" not in kinds(admin), "nobody was lost while nobody could know"


def test_a_fabric_is_watched_through_whichever_opensm_is_master(served: Service, load: Load, two_switch: Bed) -> None:
    bed = load(two_switch)
    admin: TestClient = served.as_role("admin")
    with (
        bed.opensm("off", more_options=SOON_TAKEN_OVER, node="H1", state="first") as first,
        bed.opensm(more_options=SOON_TAKEN_OVER, node="H7", state="second", up=False) as second,
    ):
        first.await_done()
        options = {"socket": str(first.setup.socket), "other_sockets": [str(second.setup.socket)], "fabric": "two-switch"}
        assert admin.post(f"{API}/fabrics", json={"name": "lab", "kind": "plugin", "options": options}).status_code == 201
        Lab.until(lambda: bool(admin.get(f"{LAB}/watch").json()["current"]), WITHIN_S)
        first.opensm.kill()
        second.await_done()
        before = admin.get(f"{LAB}/watch").json()["as_of"]
        Lab.until(lambda: bool((watch := admin.get(f"{LAB}/watch").json())["current"] and watch["as_of"] > before), WITHIN_S)
        state = admin.get(f"{LAB}/state").json()
        assert (state["reachable"], state["sm_state"], state["asks"]) == (True, "master", True)
        assert not {"device.lost", "device.new"} & set(kinds(admin))


def kinds(client: TestClient) -> list[str]:
    items = client.get(f"{API}/events/kept", params={"fabric": "lab", "limit": 100}).json()["items"]
    return [item["kind"] for item in items]
