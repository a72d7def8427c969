# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests inside the hosts of a fabric by real agents of this machine; a program stands in for perftest."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from api.background.host_watch_scheduler import HostWatchScheduler
from api.base.times import now
from api.database.models.fabric import Fabric
from api.database.models.inventory import HostPaths, StoredInventory
from api.database.models.job import Job
from api.jobs.kinds.hosts_paths import HostsPathsJob
from api.services import host_paths
from tests.api.fabric_service import FABRIC, once, run_jobs, with_default_fabric
from tests.api.host_site import with_inventory
from tests.api.service import Service
from tests.tuner.hostping.ping_site import PingSite
from tests.tuner.hostping.test_ping import Site, full, slow_node1
from tuner.hostping.baselines import HostBaselines
from tuner.hostping.diagnosis import LinkState
from tuner.hostping.ping import PingSettings
from tuner.hostping.ping_document import host_document
from tuner.hostping.planted import Faults

PATHS, NODES = f"{FABRIC}/hosts/paths", f"{FABRIC}/hosts/paths/nodes"
FAST = PingSettings(seconds=0.1, lead_s=1, busy_cores=1)


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HostsPathsJob, "settings", FAST)


def document(site: PingSite) -> str:
    return json.dumps({key: value for key, value in site.document.items() if key != "fabric"})


def test_without_an_inventory_there_is_nothing(calm_service: Service) -> None:
    viewer, operator = calm_service.as_role("viewer"), calm_service.as_role("operator")
    told = viewer.get(PATHS).json()
    assert (told["inventory"], told["measured_at"], told["hosts"]["total"], told["models"]) == (None, None, 0, [])
    assert viewer.get(NODES).json()["items"] == []
    assert viewer.get(f"{NODES}/n1").status_code == 404
    refused = operator.post(PATHS, headers=once())
    assert (refused.status_code, "an administrator must add one" in refused.json()["detail"]) == (409, True)


@pytest.mark.thorough
def test_the_fleet_tells_who_differs_and_a_host_its_matrix(service: Service, tmp_path: Path) -> None:
    with_default_fabric(service)
    admin, operator, viewer = (service.as_role(role) for role in ("admin", "operator", "viewer"))
    site = PingSite(tmp_path, 4, {1: Faults(links_gbps={"memory:node1": 60})})
    with_inventory(admin, document(site))
    assert viewer.post(PATHS, headers=once()).status_code == 403
    bad = operator.post(PATHS, json={"nodes": "m1"}, headers=once()).json()
    assert bad["errors"][0]["field"] == "nodes"
    asked = operator.post(PATHS, headers=once())
    assert asked.status_code == 202, asked.text
    assert viewer.get(PATHS).json()["running_job"] == asked.json()["id"]
    busy = operator.post(f"{FABRIC}/hosts/check", headers=once())
    assert (busy.status_code, "hosts.paths" in busy.json()["detail"]) == (409, True)
    job = run_jobs(service, operator, asked.json()["id"], 120)
    assert (job["state"], job["result"]["slow"], job["result"]["normal"]) == ("done", 1, 3), job

    told = viewer.get(PATHS).json()
    assert told["hosts"] == {"total": 4, "normal": 3, "slow": 1, "unfit": 0, "not_measured": 0, "untested": 0}
    (model,) = told["models"]
    assert (model["hosts"], model["slow"], model["baseline"]["hosts"]) == (4, ["n1"], 4)
    assert (told["running_job"], told["can_watch"], told["triggered"]) == (None, False, [])
    (slow,) = viewer.get(NODES, params={"verdict": "slow"}).json()["items"]
    assert (slow["node"], slow["is_current"], slow["slow_paths"], slow["paths"]) == ("n1", True, 2, 4)
    host = viewer.get(f"{NODES}/n1").json()
    assert (host["confidence"], host["baseline"]["hosts"]) == ("differs", 4)
    cells = {(cell["adapter"], cell["endpoint"]): cell["state"] for cell in host["cells"]}
    assert cells == {
        ("mlx5_0", "node0"): "normal",
        ("mlx5_0", "node1"): "abnormal",
        ("mlx5_1", "node0"): "normal",
        ("mlx5_1", "node1"): "abnormal",
    }
    (link,) = [link for link in host["links"] if link["state"] == "abnormal"]
    assert (link["link"], link["name"], link["is_flapping"]) == ("memory:node1", "the memory of node node1", False)
    audit = [entry["action"] for entry in admin.get("/api/v1/audit").json()["items"]]
    assert {"hosts.paths", "hosts.paths.done"} <= set(audit)

    # Tests of one host leave what is known of the others, and compare with what was normal then.
    site.plant(1, Faults())
    some = operator.post(PATHS, json={"nodes": "n1"}, headers=once())
    assert run_jobs(service, operator, some.json()["id"], 120)["result"] == {
        "hosts": 1, "normal": 1, "slow": 0, "unfit": 0, "not_measured": 0, "flapping": 0,
    }  # fmt: skip
    assert viewer.get(PATHS).json()["hosts"]["normal"] == 4

    # An operator has the service forget what is normal.
    assert viewer.delete(f"{PATHS}/baselines").status_code == 403
    assert operator.delete(f"{PATHS}/baselines").status_code == 204
    assert operator.delete(f"{PATHS}/baselines").status_code == 404
    assert viewer.get(PATHS).json()["models"][0]["baseline"] is None

    # The inventory that replaces this one has other hosts.
    (tmp_path / "other").mkdir()
    smaller = PingSite(tmp_path / "other", 2)
    changed = admin.put(f"{FABRIC}/inventory", json={"document": document(smaller)}, headers={"If-Match": "*"})
    assert changed.status_code == 200, changed.text
    told = viewer.get(NODES).json()["items"]
    assert [(row["node"], row["is_current"]) for row in told] == [("n1", False), ("n2", False)]


@pytest.mark.long
def test_a_watch_needs_ports_and_a_simulated_fabric_has_none(service: Service, tmp_path: Path) -> None:
    with_default_fabric(service)
    with_inventory(service.as_role("admin"), document(PingSite(tmp_path, 1)))
    refused = service.as_role("operator").post(f"{FABRIC}/hosts/watch", headers=once())
    assert (refused.status_code, "is simulated and has no ports to watch" in refused.json()["detail"]) == (409, True)
    assert service.as_role("viewer").post(f"{FABRIC}/hosts/watch", headers=once()).status_code == 403
    assert HostWatchScheduler(service.database, 300).tick() == []


class Kept:
    """Runs of a site whose agents are scripted, kept in a service's database."""

    def __init__(self, service: Service, site: Site) -> None:
        self.service, self.site = service, site

    def run(self, count: int = 5) -> list[str]:
        with self.service.database.reading() as session:
            known = host_paths.baselines_of(session, "two-switch")
        rows, batch = self.site.both(count, baselines=known)
        return self.keep([host_document(row) for row in rows], batch)

    def keep(self, found: list[dict[str, object]], batch: HostBaselines | None = None) -> list[str]:
        with self.service.database.writing() as session:
            row = session.get(StoredInventory, "two-switch")
            assert row is not None
            return host_paths.keep_paths(session, row, "job1", found, batch or HostBaselines())

    def row(self, node: str) -> dict[str, object]:
        found: dict[str, object] = self.service.as_role("viewer").get(f"{NODES}/{node}").json()
        return found


@pytest.fixture
def kept(any_service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kept:
    service = with_default_fabric(any_service)
    hosts = [{"nodes": "n[1-5]", "host": "H{number}"}]
    text = json.dumps(
        {"ibcc_inventory": 1, "name": "s", "launcher": {"kind": "ssh"}, "agent": {"command": ["/a"]}, "hosts": hosts}
    )
    with_inventory(service.as_role("admin"), text)
    return Kept(service, Site(tmp_path, monkeypatch))


def test_a_link_that_is_slow_in_some_runs_flaps_and_a_sound_fleet_has_no_history(kept: Kept) -> None:
    told = [kept.run()]
    for is_slow in (True, False, True, False, True, False):
        kept.site.rates["n4"] = slow_node1 if is_slow else full
        told.append(kept.run())
    assert told == [[], [], [], [], [], ["n4"], ["n4"]]
    assert kept.row("n4")["flapping"] == ["the memory of node node1"]
    assert (kept.row("n4")["verdict"], kept.row("n1")["flapping"]) == ("normal", [])
    fleet = kept.service.as_role("viewer").get(PATHS).json()
    assert fleet["models"][0]["slow"] == ["n4"]
    with kept.service.database.reading() as session:
        assert {row.node for row in session.scalars(select(HostPaths)) if row.runs} == {"n4"}


def test_a_busy_host_keeps_what_was_measured_and_says_when_it_was_tried(kept: Kept) -> None:
    kept.site.rates["n4"] = slow_node1
    kept.run()
    before = kept.row("n4")
    rows, _ = kept.site.both(5)
    busy = {**host_document(rows[3]), "verdict": "unfit", "cells": [], "links": [], "sentence": "Busy or unfit to measure: a."}
    kept.keep([busy])
    after = kept.row("n4")
    assert (after["verdict"], after["measured_at"], after["cells"]) == ("slow", before["measured_at"], before["cells"])
    assert str(after["last_try"]).endswith("Busy or unfit to measure: a.")
    kept.run()
    assert kept.row("n4")["last_try"] is None


def test_a_host_says_where_its_parts_are_unless_its_tests_are_from_an_older_release(kept: Kept) -> None:
    rows, _ = kept.site.both(5)
    found = [host_document(row) for row in rows]
    kept.keep([*found[:4], {name: value for name, value in found[4].items() if name != "parts"}])
    parts = kept.row("n1")["parts"]
    assert isinstance(parts, list)
    assert [(part["name"], part["socket"], part["root_port"], part["links"]) for part in parts] == [
        ("node0", 0, None, []),
        ("node1", 1, None, []),
        ("mlx5_0", 0, "0000:10:01.0", ["0000:10:01.0", "pcie:mlx5_0"]),
        ("mlx5_1", 1, "0000:20:01.0", ["0000:20:01.0", "pcie:mlx5_1"]),
    ]
    assert (kept.row("n5")["parts"], kept.row("n5")["verdict"]) == ([], "normal")


def test_old_tests_and_hosts_that_left_are_deleted(kept: Kept) -> None:
    kept.run()

    def nodes(session: Session) -> list[str]:
        return sorted(session.scalars(select(HostPaths.node)))

    with kept.service.database.writing() as session:
        session.get_one(HostPaths, ("two-switch", "n2")).measured_at = now() - host_paths.KEPT - timedelta(minutes=1)
        session.flush()
        host_paths.sweep(session)
        assert nodes(session) == ["n1", "n3", "n4", "n5"]
        row = session.get_one(StoredInventory, "two-switch")
        row.document = row.document.replace("n[1-5]", "n[1-3]")
    kept.run(3)
    with kept.service.database.reading() as session:
        assert nodes(session) == ["n1", "n2", "n3"]


def test_the_results_of_a_deleted_inventory_are_not_kept(kept: Kept) -> None:
    rows, batch = kept.site.both(5)
    admin = kept.service.as_role("admin")
    with kept.service.database.reading() as session:
        old = session.get_one(StoredInventory, "two-switch")
    etag = admin.get(f"{FABRIC}/inventory").headers["etag"]
    text = admin.get(f"{FABRIC}/inventory").json()["document"]
    assert admin.delete(f"{FABRIC}/inventory", headers={"If-Match": etag}).status_code == 204
    with_inventory(admin, text)
    with kept.service.database.writing() as session:
        assert host_paths.keep_paths(session, old, "job1", [host_document(row) for row in rows], batch) == []
        assert session.scalars(select(HostPaths)).all() == []


def test_watches_begin_by_the_schedule_and_a_failed_one_is_not_repeated_at_once(kept: Kept) -> None:
    database = kept.service.database
    with database.writing() as session:
        session.get_one(Fabric, "two-switch").kind = "plugin"
    assert HostWatchScheduler(database, 0).tick() == []
    scheduler = HostWatchScheduler(database, 300)
    (job,) = scheduler.tick()
    assert scheduler.tick() == []
    with database.writing() as session:
        row = session.get_one(Job, job)
        assert (row.kind, row.created_by, row.arguments["test"]) == ("hosts.triggers", "ibcc", True)
        row.state = "failed"
    assert scheduler.tick() == []
    with database.writing() as session:
        session.get_one(Job, job).created_at = now() - timedelta(seconds=301)
    assert len(scheduler.tick()) == 1


def test_a_thousand_hosts_take_as_much_as_the_document_says(kept: Kept) -> None:
    """docs/operate/hostping.md has the number."""
    kept.site.rates["n4"] = slow_node1
    rows, _ = kept.site.both(5)
    sound, slow = len(json.dumps(host_document(rows[0]))), host_document(rows[3])
    states = {link["link"]: LinkState.ABNORMAL.value for link in slow["links"]}
    runs = len(json.dumps([["2026-01-31T02:00:00Z", states]] * 7))
    print(f"a host: {sound:,} bytes; one with a bad link: {len(json.dumps(slow)) + runs:,}")
    assert 1000 * sound < 4 * 10**6
    assert 1000 * (len(json.dumps(slow)) + runs) < 8 * 10**6
