# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the check finds, with real agents of this machine, each with a configuration of its own."""

import json
import shutil
from functools import lru_cache
from pathlib import Path

import pytest

from tests.perftest_mods.agent.agent_process import AGENT, PYTHON, configuration
from tests.ports import Block, block
from tuner.document_base.model import build_model
from tuner.documents.inventory import Inventory
from tuner.errors import InterruptedRunError
from tuner.hosts.host_check import HostReport, check_hosts

pytestmark = pytest.mark.long

OF_THIS_MACHINE = {"memlock", "nofile", "clock", "setup"}


@lru_cache(maxsize=1)
def ports_of(folder: Path) -> Block:
    """The folder has ports of its own: a port of another's would be found open, and closed a moment later."""
    return block()


class Site:
    """Nodes n1 to n3, whose agents can be given other settings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = ports_of(folder).first
        for node in ("n1", "n2", "n3"):
            self.settings(node)

    def settings(self, node: str, **changes: object) -> None:
        (self.folder / node).mkdir(exist_ok=True)
        programs = {"obedient": str(self.folder / node / "obedient")}  # the check starts each of them, with and without the meter
        configuration(self.folder / node, **{"ports": [self.port, self.port + 800], "programs": programs, **changes})

    def document(self, **changes: object) -> dict[str, object]:
        host = {"nodes": "n[1-3]", "address": "127.0.0.1", "tcp_ports": [self.port, self.port + 800], "host": "H{number}"}
        return {
            "ibcc_inventory": 1,
            "name": "site",
            "fabric": "two-switch",
            "launcher": {"kind": "local"},
            "agent": {"command": [PYTHON, "-IS", str(AGENT), "--config", str(self.folder / "{node}/agent.json")]},
            "hosts": [host | changes],
        }

    def found(self, **changes: object) -> dict[str, set[str]]:
        return {report.host.node: kinds(report) for report in self.reports(**changes)}

    def reports(self, **changes: object) -> list[HostReport]:
        inventory = build_model(Inventory, self.document(**changes))
        return check_hosts(inventory, tuple(inventory.by_node.values()))


def kinds(report: HostReport) -> set[str]:
    return {finding.what for finding in report.findings} - OF_THIS_MACHINE


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_hosts_that_are_ready(site: Site) -> None:
    reports = site.reports()
    assert [kinds(report) for report in reports] == [set(), set(), set()]
    for report in reports:
        assert report.clock is not None
        assert abs(report.clock.offset_ns) <= report.clock.uncertainty_ns + 100_000


def test_each_fault_is_found_on_its_host_alone(site: Site) -> None:
    programs = json.loads((site.folder / "n1/agent.json").read_text())["programs"]
    site.settings("n1", meter="/nonexistent/meter.so")
    site.settings("n2", programs=programs | {"ib_write_bw": "/nonexistent/ib_write_bw"})
    (site.folder / "n3/sysfs/mlx5_0/ports/1/state").write_text("1: DOWN\n")
    assert site.found() == {"n1": {"meter"}, "n2": {"program"}, "n3": {"state"}}


def test_a_host_without_the_device_and_one_with_other_ports(site: Site) -> None:
    shutil.rmtree(site.folder / "n1/sysfs/mlx5_0")
    site.settings("n2", ports=[site.port, site.port + 100])
    assert site.found() == {"n1": {"device"}, "n2": {"ports"}, "n3": set()}


@pytest.mark.thorough
def test_a_version_that_others_have_not(site: Site) -> None:
    stand_in = site.folder / "other"
    stand_in.write_text('#!/bin/sh\n[ -z "$LD_PRELOAD" ] || { echo IBCC_METER_INTERVAL_MS; exit 2; }\necho Version: 6.20\n')
    stand_in.chmod(0o755)
    site.settings("n2", programs={"ib_write_bw": str(stand_in)})
    assert site.found() == {"n1": set(), "n2": {"version"}, "n3": set()}


def test_a_guid_that_is_not_the_ports(site: Site) -> None:
    assert [kinds(report) for report in site.reports(nodes="n1", host="guid:0x0002c90300000a01")] == [set()]
    assert [kinds(report) for report in site.reports(nodes="n1", host="guid:0x0002c90300000b01")] == [{"guid"}]


def test_an_address_that_is_not_the_hosts(site: Site) -> None:
    (report,) = site.reports(nodes="n1", address="nowhere.invalid")
    assert kinds(report) == {"reach"}
    assert report.faults[-1].sentence.startswith(f"from n1: nowhere.invalid, port {site.port}, cannot be reached")


def test_hosts_that_are_not_among_the_peers_are_told_with_what_to_do(site: Site) -> None:
    site.settings("n1", peers=["10.0.0.0/8"])
    assert site.found() == {"n1": set(), "n2": {"reach"}, "n3": set()}
    fault = next(one for one in site.reports()[1].findings if one.what == "reach")
    assert "127.0.0.1 is no peer of this host's; allowed are 10.0.0.0/8 (peers of " in fault.sentence
    assert fault.remedy.startswith("add the hosts' network to peers in n1's")


def test_a_host_without_a_folder_for_its_lock(site: Site) -> None:
    (site.folder / "n2/run").touch()
    assert site.found() == {"n1": set(), "n2": {"limits"}, "n3": set()}


@pytest.mark.thorough
def test_an_agent_from_before_limits_is_ready_and_told(site: Site) -> None:
    agent = AGENT.read_text()
    for new, old in (("dict(limits(config), memlock", "dict(memlock"), ('yield "run_folder"', '"run_folder"')):
        assert new in agent
        agent = agent.replace(new, old)
    (site.folder / "old.py").write_text(agent)
    command = [PYTHON, "-IS", str(site.folder / "old.py"), "--config", str(site.folder / "{node}/agent.json")]
    inventory = build_model(Inventory, site.document() | {"agent": {"command": command}})
    reports = check_hosts(inventory, tuple(inventory.by_node.values()))
    assert [kinds(report) for report in reports] == [{"limits"}] * 3
    assert not any(one.is_fault for report in reports for one in report.findings if one.what == "limits")


def test_hosts_that_cannot_be_reached_do_not_keep_the_others_from_being_checked(site: Site) -> None:
    (site.folder / "n2/agent.json").unlink()
    reports = site.reports()
    assert [kinds(report) for report in reports] == [set(), {"unreachable"}, set()]
    assert "does not exist" in reports[1].findings[0].sentence
    assert reports[1].facts is None


def test_a_host_that_tells_nonsense_does_not_spoil_the_check_of_the_others(site: Site) -> None:
    agent = site.folder / "agent.sh"
    lying = (
        '{"ibcc_agent":1,"event":"hello"}\\n{"ibcc_agent":1,"event":"check","programs":7}\\n{"ibcc_agent":1,"event":"done"}\\n'
    )
    real = f"exec {PYTHON} -IS {AGENT} --config {site.folder}/$1/agent.json"
    agent.write_text(f"if [ $1 = n2 ]; then read -r _; printf '{lying}'; else {real}; fi\n")
    document = site.document() | {"agent": {"command": ["/bin/sh", str(agent), "{node}"]}}
    inventory = build_model(Inventory, document)
    reports = check_hosts(inventory, tuple(inventory.by_node.values()))
    assert [kinds(report) for report in reports] == [set(), {"unreachable"}, set()]


def test_a_check_that_is_stopped_ends_soon(site: Site) -> None:
    inventory = build_model(Inventory, site.document() | {"agent": {"command": ["/bin/sh", "-c", "cat >/dev/null"]}})
    with pytest.raises(InterruptedRunError, match="stopped"):
        check_hosts(inventory, tuple(inventory.by_node.values()), should_stop=lambda: True)
