# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL hosts` against a service whose hosts are agents of this machine."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from api.jobs.kinds.hosts_paths import HostsPathsJob
from tests.api.host_site import inventory_text, with_inventory
from tests.api.service import Service
from tests.tuner.hostping.ping_site import PingSite
from tests.tuner.hosts.test_host_check import OF_THIS_MACHINE, Site
from tuner.cli.main import run
from tuner.hostping.ping import PingSettings
from tuner.hostping.planted import Faults

Ibcc = Callable[..., str]


@pytest.mark.long
def test_hosts_are_listed_and_checked_as_without_a_service(
    ibcc_server: Ibcc,
    served_service: tuple[Service, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    service, url = served_service
    assert "has no inventory" in ibcc_server("hosts", "check", code=5)
    site = tmp_path / "site.yaml"
    site.write_text(inventory_text(tmp_path))
    assert "needs the role admin" in ibcc_server("hosts", "put", str(site), code=1)
    monkeypatch.setenv("IBCC_TOKEN", service.as_role("admin").headers["Authorization"].removeprefix("Bearer "))
    assert json.loads(ibcc_server("hosts", "put", str(site)))["hosts"] == 3
    assert json.loads(ibcc_server("hosts", "put", str(site)))["etag"] == '"2"'
    assert ibcc_server("hosts", "get") == site.read_text()
    rows = list(csv.DictReader(ibcc_server("hosts", "list", "--output", "csv").splitlines()))
    assert [(row["node"], row["host"], row["verdict"]) for row in rows] == [("n1", "H1", ""), ("n2", "H2", ""), ("n3", "H3", "")]

    def check(*options: str) -> tuple[int, str]:
        code = run(["--server", url, "hosts", "check", *options])
        return code, capsys.readouterr().out

    Site(tmp_path).settings("n2", meter="/nonexistent/meter.so")
    code, out = check("--output", "json")
    told = {one["node"]: {finding["what"] for finding in one["findings"]} - OF_THIS_MACHINE for one in json.loads(out)["hosts"]}
    assert (code, told) == (1, {"n1": set(), "n2": {"meter"}, "n3": set()})
    (tmp_path / "n3/agent.json").unlink()
    code, out = check("--nodes", "n[2-3]")
    assert code == 3
    assert "n2: the meter does not work: '/nonexistent/meter.so' is no file. To do: install libibcc_meter.so" in out
    assert "not reached" in out
    assert "n1" not in out
    assert "m1" in ibcc_server("hosts", "check", "--nodes", "m1", code=2)
    assert "not a NodeSet" in ibcc_server("hosts", "check", "--nodes", "n[1-", code=2)


@pytest.mark.slow
def test_the_inside_of_hosts_is_tested_as_without_a_service(
    ibcc_server: Ibcc,
    served_service: tuple[Service, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    service, url = served_service
    monkeypatch.setattr(HostsPathsJob, "settings", PingSettings(seconds=0.1, lead_s=1))
    assert "has no inventory" in ibcc_server("hosts", "ping", code=5)
    site = PingSite(tmp_path, 3, {1: Faults(links_gbps={"memory:node1": 60})}, is_quiet=True)
    document = json.dumps({key: value for key, value in site.document.items() if key != "fabric"})
    with_inventory(service.as_role("admin"), document)

    def ping(*options: str) -> tuple[int, str]:
        code = run(["--server", url, "hosts", "ping", *options])
        return code, capsys.readouterr().out

    code, out = ping("--output", "json")
    told = json.loads(out)
    assert (code, told["inventory"]) == (1, "site")
    rows = {host["node"]: host for host in told["hosts"]}
    assert {node: row["verdict"] for node, row in rows.items()} == {"n1": "slow", "n2": "normal", "n3": "normal"}
    assert sorted(rows["n1"]["slow_paths"]) == [["mlx5_0", "node1"], ["mlx5_1", "node1"]]
    code, out = ping("--nodes", "n[2-3]")
    assert (code, "n1" in out, "All measured paths are normal." in out) == (0, False, True)
    code, out = ping("--nodes", "n1", "--output", "csv")
    assert [row["endpoint"] for row in csv.DictReader(out.splitlines())] == ["node0", "node1", "node0", "node1"]
    assert code == 1
    assert "is simulated and has no ports to watch" in ibcc_server("hosts", "triggers", code=5)
