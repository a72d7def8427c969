# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Checks of the service on real hosts: agents of this machine; only perftest is stood in for."""

from pathlib import Path

import pytest
import yaml
from fastapi.testclient import TestClient

from tests.api.check_service import CHECKS, run_night, seen
from tests.api.cluster_service import WHERE, with_cluster
from tests.api.host_site import with_inventory
from tests.api.service import Service
from tests.tuner.checks.hosts.test_hosts_of_night import cluster
from tests.tuner.hostping.ping_site import PingSite
from tests.tuner.hosts.test_perftest_driver import await_nothing_left
from tuner.checks.kinds import hosts as kind
from tuner.hostping.ping import PingSettings
from tuner.hostping.planted import Faults

DOCUMENT = """\
ibcc_check: 1
hosts: {most_hosts: 7, lead_s: 2}
kinds:
- {kind: fairness, backend: cluster, workload: scenario-1, time_scale: 0.1}
"""


PATHS_OF_HOSTS = """\
ibcc_check: 1
hosts: {most_hosts: 7}
kinds:
- {kind: hosts, paths: true, busy_cores: 1}
"""


def create(operator: TestClient, text: str = DOCUMENT) -> tuple[int, str]:
    answer = operator.post(CHECKS, json={"name": "site", "fabric": "cluster", "document": text})
    return answer.status_code, answer.text


@pytest.mark.slow
def test_a_night_measures_the_fabrics_hosts(service: Service, tmp_path: Path) -> None:
    site = cluster(tmp_path)
    service = with_cluster(service)
    document = yaml.safe_load(site.inventory.read_text())
    del document["fabric"]
    with_inventory(service.as_role("admin"), yaml.safe_dump(document), WHERE)
    operator = service.as_role("operator")
    status, text = create(operator)
    assert status == 201, text
    job = run_night(service, operator)
    await_nothing_left(site)
    assert job["result"]["state"] == "pass", job
    night = seen(operator, f"/nights/{seen(operator)['last']['date']}")
    assert night["entries"][0]["values"]["victim_throughput"] > 0
    assert "the profile in force on fabric 'two-switch', 7 hosts, H[1-7]," in night["entries"][0]["facts"][0]


@pytest.mark.thorough
def test_a_nights_tests_inside_hosts_are_where_those_that_people_ask_for_are(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kind, "PATHS", PingSettings(seconds=0.1, lead_s=1))
    site = PingSite(tmp_path, 3, {1: Faults(links_gbps={"memory:node1": 60})}, is_quiet=True)
    for number in (1, 2, 3):  # as the fabric's document numbers the ports of H1 to H3
        gid = site.of(number) / "sys/class/infiniband/mlx5_0/ports/1/gids/0"
        gid.write_text(f"fe80:0000:0000:0000:0000:0000:0000:{0x200 + 0x100 * number:04x}\n")
    document = {key: value for key, value in site.document.items() if key != "fabric"}
    service = with_cluster(service)
    with_inventory(service.as_role("admin"), yaml.safe_dump(document), WHERE)
    operator, viewer = service.as_role("operator"), service.as_role("viewer")
    status, text = create(operator, PATHS_OF_HOSTS)
    assert status == 201, text
    job = run_night(service, operator)
    told = viewer.get(f"{WHERE}/hosts/paths").json()
    assert (told["hosts"]["slow"], told["hosts"]["normal"]) == (1, 2), job["result"]
    assert (told["models"][0]["slow"], told["models"][0]["baseline"]["hosts"]) == (["n1"], 3)
    host = viewer.get(f"{WHERE}/hosts/paths/nodes/n1").json()
    assert [link["name"] for link in host["links"] if link["state"] == "abnormal"] == ["the memory of node node1"]
    night = seen(operator, f"/nights/{seen(operator)['last']['date']}")
    assert night["entries"][0]["values"]["paths_slow"] == 1


def test_a_fabric_without_an_inventory_cannot_be_measured(service: Service) -> None:
    operator = with_cluster(service).as_role("operator")
    assert create(operator)[0] == 201
    job = run_night(service, operator)
    assert job["result"]["state"] == "could not be run"
    assert "Fabric 'cluster' has no inventory, which says where its hosts are" in job["result"]["headline"]


def test_nobody_names_a_file_of_the_server(service: Service) -> None:
    operator = with_cluster(service).as_role("operator")
    status, text = create(operator, DOCUMENT.replace("most_hosts: 7", "inventory: /etc/ibcc/inventory.yaml"))
    assert status == 422
    assert "hosts has 'inventory'; the service has one for each fabric, so omit it" in text
    status, text = create(operator, DOCUMENT.replace("hosts:", "# hosts:"))
    assert status == 422
    assert "entry 'fairness' needs hosts, and the check has no section hosts" in text
