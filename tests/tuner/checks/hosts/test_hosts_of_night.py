# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Nights on hosts that an inventory has, with real agents of this machine; only perftest is stood in for."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import yaml

from tests.tuner.cli.conftest import Command
from tests.tuner.hosts.local_cluster import LocalCluster
from tests.tuner.hosts.test_perftest_driver import await_nothing_left, left, maintenance
from tuner.checks.hosts.plan import planned_lines
from tuner.checks.hosts.session import HostsOfNight
from tuner.checks.hosts.tonight import TonightHosts
from tuner.checks.kind import KINDS, Night
from tuner.checks.observation import Observation
from tuner.checks.observe import observed
from tuner.checks.run_check import host_needs, run_check
from tuner.checks.store.history import History
from tuner.documents.check import Check, load_check
from tuner.documents.check_kinds import Fairness
from tuner.documents.inventory import load_inventory
from tuner.errors import BadInputError, UnreachableError

NIGHT = date(2026, 1, 31)
WORKLOAD = {
    "ibcc_workload": 1,
    "name": "short",
    "fabric": "two-switch",
    "duration_s": 0.6,
    "sample_interval_s": 0.05,
    "flows": [
        {"name": "F1", "src": "H1", "dst": "H4", "role": "victim"},
        {"name": "F2", "src": "H2", "dst": "H5", "role": "contributor"},
        {"name": "F3", "src": "H3", "dst": "H5", "role": "contributor"},
    ],
}
ALL = ("H1", "H2", "H3", "H4", "H5", "H6", "H7")


def cluster(folder: Path, **changes: Any) -> LocalCluster:
    return LocalCluster(folder, hosts=ALL, **changes)


def check(folder: Path, *, fabric: str = "two-switch", **hosts: Any) -> Path:
    (folder / "workload.yaml").write_text(yaml.safe_dump(WORKLOAD))
    document = {
        "ibcc_check": 1,
        "name": "site",
        "fabric": fabric,
        "hosts": {"inventory": "inventory.yaml", "lead_s": 2, **hosts},
        "kinds": [{"kind": "fairness", "backend": "cluster", "workload": "workload.yaml"}],
    }
    (folder / "site.yaml").write_text(yaml.safe_dump(document))
    return folder / "site.yaml"


def planned(path: Path, night: date = NIGHT) -> str:
    read: Check = load_check(path)
    return "\n".join(planned_lines(read, night, host_needs(read, night)))


@pytest.mark.long
def test_fairness_measures_tonights_hosts_and_leaves_nothing(tmp_path: Path, command: Command) -> None:
    site = cluster(tmp_path)
    path = check(tmp_path, most_hosts=5)
    finished = command("check", "run", path, "--history", tmp_path / "h", "--date", NIGHT, "--output", "json")
    await_nothing_left(site)
    assert finished.code == 0, finished.out + finished.err
    (entry,) = json.loads(finished.out)["entries"]
    assert entry["values"]["victim_throughput"] > 0
    assert entry["values"]["contributor_total"] > 0
    assert "the profile in force on fabric 'two-switch', 5 hosts, " in entry["facts"][0]
    assert "of inventory 'local'" in entry["facts"][0]


def test_names_of_accounts_are_for_operators_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slurm's own words may have them, as where it refuses an account."""
    cluster(tmp_path)
    read = load_check(check(tmp_path, slurm={"account": "chem42", "reservation": "secret"}))
    monkeypatch.setenv("PATH", str(tmp_path / "without-slurm"))
    (entry,) = run_check(read, History(tmp_path, read.name), NIGHT).run.entries
    assert entry.not_run is not None
    assert entry.private == ("chem42", "secret")


@pytest.mark.slow
def test_figures_of_another_network_are_marked_and_kept_out(tmp_path: Path, command: Command) -> None:
    site = cluster(tmp_path, link_layer="Ethernet")
    path = check(tmp_path)
    finished = command("check", "run", path, "--history", tmp_path / "h", "--date", NIGHT, "--output", "json")
    await_nothing_left(site)
    assert finished.code == 3
    document = json.loads(finished.out)
    (entry,) = document["entries"]
    assert entry["values"] == {}
    assert "5 of 5 hosts (H[" in entry["not_run"]
    assert (
        "send over Ethernet, and not through this InfiniBand fabric; what was measured is not of this fabric" in entry["not_run"]
    )
    assert any(fact.startswith("not of this fabric: victim_throughput ") and fact.endswith(" Gb/s") for fact in entry["facts"])
    assert document["learning"] == "learning: 0 of 10 nights"


@pytest.mark.long
def test_a_host_that_is_not_ready_is_replaced_and_named(tmp_path: Path) -> None:
    site = cluster(tmp_path)
    (tmp_path / "sysfs/H4/ports/1/state").write_text("2: INIT\n")
    read = load_check(check(tmp_path, most_hosts=7, rotate=False))
    needs = host_needs(read, NIGHT)
    with HostsOfNight(read, NIGHT, needs) as hosts:
        mine = hosts.take("fairness")
    await_nothing_left(site)
    assert mine is not None
    assert "H4" not in mine.inventory.by_node
    assert "node 'H4' is unavailable: H4 port 1 is INIT, not active" in mine.how


@pytest.mark.slow
def test_too_few_hosts_that_are_ready_are_named(tmp_path: Path) -> None:
    cluster(tmp_path)
    read = load_check(check(tmp_path))
    for host in ALL:
        (tmp_path / f"sysfs/{host}/ports/1/state").write_text("2: INIT\n")
    sentence = (
        r"needs 5 hosts, and there are 2 \(5 others are not ready: node 'H\d' is unavailable: H\d port 1 is INIT, not active;"
    )
    with HostsOfNight(read, NIGHT, host_needs(read, NIGHT)) as hosts, pytest.raises(UnreachableError, match=sentence):
        hosts.take("fairness")


def test_figures_that_are_not_of_this_fabric_are_facts_alone(tmp_path: Path) -> None:
    read = load_check(check(tmp_path))
    mine = TonightHosts(inventory=load_inventory("two-switch"), how="", until=datetime.max.replace(tzinfo=UTC), foreign="F")
    night = Night(fabric=read.fabric, date=NIGHT, hosts=mine)
    here = observed(read.kinds[0].model_copy(update={"backend": "simulated", "profile": "off"}), replace(night, hosts=None))
    with patch.object(KINDS, "get", return_value=replace(KINDS.get("fairness"), observe=lambda options, night: here)):
        marked = observed(read.kinds[0], night)
    assert here.metrics
    assert (marked.metrics, marked.not_run) == ((), "F; what was measured is not of this fabric")
    value = {metric.name: value for metric, value in here.metrics}["victim_throughput"]
    assert f"not of this fabric: victim_throughput {value:.4g} Gb/s" in marked.facts


def test_hosts_that_were_taken_back_are_the_reason_for_whatever_error(tmp_path: Path) -> None:
    read = load_check(check(tmp_path))
    mine = TonightHosts(
        inventory=load_inventory("two-switch"), how="", until=datetime.max.replace(tzinfo=UTC), look=lambda: "job 7 was preempted"
    )

    def observe(options: Fairness, night: Night) -> Observation:
        raise UnreachableError("host 'H1' was lost")

    with patch.object(KINDS, "get", return_value=replace(KINDS.get("fairness"), observe=observe)):
        night = Night(fabric=read.fabric, date=NIGHT, hosts=mine)
        assert observed(read.kinds[0], night).not_run == "job 7 was preempted"
        kept = replace(night, hosts=replace(mine, look=lambda: None))
        assert observed(read.kinds[0], kept).not_run == "host 'H1' was lost"


def test_a_dry_run_says_what_would_be_done_and_starts_nothing(tmp_path: Path, command: Command) -> None:
    site = cluster(tmp_path)
    path = check(tmp_path, most_s=300)
    finished = command("check", "run", path, "--history", tmp_path / "h", "--date", NIGHT, "--dry-run")
    assert finished.code == 0
    assert "run workload 'short' for 0.6 s on backend 'cluster' under the profile in force" in finished.out
    assert "hosts: fairness would use 5 hosts, H[" in finished.out
    assert ", for about 13 s, and offer up to " in finished.out
    assert "hosts: all would be given back after at most 300 s" in finished.out
    assert left(site) == []
    assert not list((tmp_path / "run").glob("*"))  # no agent was asked
    assert len({planned(path, NIGHT + timedelta(days=days)) for days in range(7)}) == 1  # nights of a workload are compared
    assert planned(path) == planned(path)


def test_a_dry_run_names_the_window(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    cluster(tmp_path, changes=maintenance(now + timedelta(hours=2), now + timedelta(hours=3)))
    text = planned(check(tmp_path))
    begin = now + timedelta(hours=2)
    assert (
        f"allows no measurement now, outside its maintenance windows; the next one begins at {begin:%Y-%m-%d %H:%M} UTC" in text
    )
    assert "fairness would use 5 hosts" in text
    assert "maintenance" not in planned(check(tmp_path, windows=False))


def test_outside_its_windows_no_host_is_touched(tmp_path: Path, command: Command) -> None:
    now = datetime.now(UTC)
    cluster(tmp_path, changes=maintenance(now + timedelta(hours=2), now + timedelta(hours=3)))
    finished = command("check", "run", check(tmp_path), "--history", tmp_path / "h", "--date", NIGHT)
    assert finished.code == 3
    assert "outside its maintenance windows; the next one begins at" in finished.out
    assert not list((tmp_path / "run").glob("*"))


@pytest.mark.parametrize(
    ("hosts", "sentence"),
    [
        ({"most_hosts": 4}, "workload 'short' needs 5 hosts, so 5 would be used in all, and hosts.most_hosts is 4"),
        ({"most_gbps": 3}, "Gb/s, and hosts.most_gbps is 3; fewer flows or a rate_gbps for each would be right"),
        ({"nodes": "H[1-3]"}, "workload 'short' needs 5 hosts, and there are 3"),
        ({"nodes": "H[7-9]"}, "unknown node 'H8'"),
        ({"most_s": 10}, "it takes 13 s, and hosts.most_s is 10"),
        ({"slurm": {}}, "hosts.slurm needs the program 'sinfo', which is not installed here"),
    ],
)
def test_what_the_check_does_not_allow_is_not_done(
    hosts: dict[str, Any], sentence: str, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = cluster(tmp_path)
    if "slurm" in hosts:
        monkeypatch.setenv("PATH", str(tmp_path))
    finished = command("check", "run", check(tmp_path, **hosts), "--history", tmp_path / "h", "--date", NIGHT)
    await_nothing_left(site)
    assert finished.code == 3
    assert sentence in finished.out.replace("\n", " ")


def test_an_inventory_of_another_fabric_is_refused(tmp_path: Path) -> None:
    cluster(tmp_path)
    text = planned(check(tmp_path, fabric="fat-tree-648"))
    assert text == ("check 'site' is of fabric 'fat-tree-648', and inventory 'local' of 'two-switch'; they must be of the same")


def test_a_check_that_needs_hosts_says_which(tmp_path: Path) -> None:
    path = check(tmp_path)
    document = yaml.safe_load(path.read_text())
    del document["hosts"]
    path.write_text(yaml.safe_dump(document))
    with pytest.raises(BadInputError, match="entry 'fairness' needs hosts, and the check has no section hosts"):
        load_check(path)
