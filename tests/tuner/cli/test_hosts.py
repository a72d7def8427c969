# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import ast
import json
from pathlib import Path

import pytest

from tests.perftest_mods.agent.agent_process import AGENT
from tests.tuner.cli.conftest import Command
from tests.tuner.hosts.test_host_check import OF_THIS_MACHINE, Site

pytestmark = pytest.mark.long


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def written(site: Site) -> Path:
    path = site.folder / "site.json"
    path.write_text(json.dumps(site.document()))
    return path


def test_check_tells_programs_everything(command: Command, site: Site) -> None:
    site.settings("n2", meter="/nonexistent/meter.so")
    done = command("hosts", "check", written(site), "--output", "json")
    assert done.code == 1
    told = json.loads(done.out)
    by_node = {host["node"]: {f["what"] for f in host["findings"]} - OF_THIS_MACHINE for host in told["hosts"]}
    assert by_node == {"n1": set(), "n2": {"meter"}, "n3": set()}
    assert told["hosts"][0]["facts"]["devices"][0]["state"] == "ACTIVE"


def test_check_tells_people_what_to_do_once_for_all_hosts_that_need_it(command: Command, site: Site) -> None:
    for node in ("n1", "n2"):
        site.settings(node, meter="/nonexistent/meter.so")
    (site.folder / "n3/agent.json").unlink()
    done = command("hosts", "check", written(site))
    assert done.code == 3
    assert "n[1-2]: the meter does not work: '/nonexistent/meter.so' is no file. To do: install libibcc_meter.so" in done.out
    assert "not reached" in done.out
    assert "n3: " in done.out


def test_check_of_some_hosts(command: Command, site: Site) -> None:
    (site.folder / "n3/agent.json").unlink()
    done = command("hosts", "check", written(site), "--nodes", "n[1-2]", "--output", "csv")
    assert done.code in (0, 1)  # as this machine's limits are
    assert not [line for line in done.out.splitlines()[1:] if line.split(",")[1] not in OF_THIS_MACHINE]
    assert command("hosts", "check", written(site), "--nodes", "m1").code == 2


def test_list(command: Command) -> None:
    done = command("hosts", "list", "two-switch", "--output", "json")
    assert done.code == 0
    assert [host["host"] for host in json.loads(done.out)] == [f"H{i}" for i in range(1, 8)]
    assert "node7-ib" in command("hosts", "list", "two-switch").out
    assert "node2" not in command("hosts", "list", "two-switch", "--nodes", "node[3-4]", "--output", "csv").out


def test_agent_writes_the_one_file(command: Command, tmp_path: Path) -> None:
    assert command("hosts", "agent", "-o", tmp_path / "agent.py").code == 0
    assert (tmp_path / "agent.py").read_bytes() == AGENT.read_bytes()
    assert (tmp_path / "agent.py").stat().st_mode & 0o111
    ast.parse(command("hosts", "agent").out)
