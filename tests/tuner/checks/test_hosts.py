# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kind hosts: real agents of this machine; only perftest and the RDMA devices are stood in for."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.tuner.backends.standing import SITE, Standing
from tests.tuner.checks.test_kinds import NIGHT
from tests.tuner.hosts.local_cluster import LocalCluster, LocalDriver
from tests.tuner.hosts.test_perftest_driver import processes
from tuner.checks.hosts.tonight import TonightHosts
from tuner.checks.kind import KINDS
from tuner.checks.kinds import hosts as kind
from tuner.checks.observation import Observation
from tuner.checks.observe import observed
from tuner.documents.check_kinds import Hosts
from tuner.documents.inventory import Inventory, load_inventory
from tuner.hosts.perftest_driver import PerftestDriver
from tuner.measuring.options import BackendOptions

pytestmark = pytest.mark.long

CANARY = {"senders": 2, "duration_s": 0.4}
OF_THIS_MACHINE = {"host-memlock", "host-nofile", "host-clock", "host-setup"}


def cluster(folder: Path, **values: Any) -> LocalCluster:
    return LocalCluster(folder, **values)


def codes(observation: Observation) -> set[str]:
    return {finding.code for finding in observation.findings} - OF_THIS_MACHINE


def values(observation: Observation) -> dict[str, float | None]:
    return {metric.name: value for metric, value in observation.metrics}


@contextmanager
def rates_for_fabric(made: LocalCluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The fabric of the kind is the file of rates, and hosts get less time to connect."""

    def driver(options: BackendOptions, inventory: Inventory) -> LocalDriver:
        quick = {"backend.inventory": str(made.inventory), "backend.settle_s": 0, "backend.lead_s": 2}
        return LocalDriver(made, BackendOptions(settings=quick, on_warning=options.on_warning))

    monkeypatch.setattr(kind, "PerftestDriver", driver)
    yield
    assert processes(made) == {}


def test_each_fault_is_a_finding_with_its_place_and_what_to_do(tmp_path: Path) -> None:
    made = cluster(tmp_path, hosts=("H1", "H2"))
    (tmp_path / "sysfs/H2/ports/1/state").write_text("1: DOWN\n")
    faulty = observed(Hosts(inventory=str(made.inventory)), NIGHT)
    assert codes(faulty) == {"host-state"}
    (finding,) = [one for one in faulty.findings if one.code == "host-state"]
    assert (finding.place, finding.severity) == ("H2", "fail")
    assert "H2, port 1, is DOWN" in finding.sentence
    assert "--nodes 'H2'` finds it on 1 of 2 hosts" in finding.evidence
    assert finding.next_step == "check the cable and the switch's port"
    assert values(faulty)["unreachable"] == 0
    assert values(faulty)["ready"] in (0, 1)  # 0: this machine has a fault of its own


def test_a_host_without_an_agent_is_unreachable_and_all_without_could_not_be_run(tmp_path: Path) -> None:
    made = cluster(tmp_path, hosts=("H1", "H2"))
    document = yaml.safe_load(made.inventory.read_text())
    link = tmp_path / "agent-of-H1"
    link.symlink_to(document["agent"]["command"][3])
    document["agent"]["command"][3] = str(tmp_path / "agent-of-{node}")
    made.inventory.write_text(yaml.safe_dump(document))
    one = observed(Hosts(inventory=str(made.inventory)), NIGHT)
    assert values(one)["unreachable"] == 1
    assert "host-unreachable" in codes(one)
    link.unlink()
    nobody = observed(Hosts(inventory=str(made.inventory)), NIGHT)
    assert nobody.not_run is not None
    assert "no host of inventory 'local' was reached: H1: " in nobody.not_run


@pytest.mark.slow
def test_adapters_that_do_not_throttle_are_found_and_the_profile_is_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = cluster(tmp_path, changes={"canary": CANARY}, hosts=("H1", "H2", "H3"))
    before = (tmp_path / "rates.json").read_text()
    with rates_for_fabric(made, monkeypatch):
        observation = observed(Hosts(inventory=str(made.inventory), canary=True), NIGHT)
    assert observation.not_run is None
    assert values(observation)["not_throttling"] == 1
    (finding,) = [one for one in observation.findings if one.code == "host-not-throttling"]
    assert finding.place == "H3"
    assert "it sent 6.0" in finding.evidence
    assert (tmp_path / "rates.json").read_text() == before


@pytest.mark.slow
def test_a_canary_that_loses_its_hosts_could_not_be_run_and_what_was_found_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cluster(tmp_path, changes={"canary": CANARY}, hosts=("H1", "H2", "H3"))
    restored = []

    class Failing(LocalDriver):
        def start(self, workload: Any, *, seed: int) -> Any:
            made.rates({"H2": "fails"})
            return super().start(workload, seed=seed)

        def fabric(self, options: BackendOptions, *, ttl_s: int) -> Any:
            fabric = super().fabric(options, ttl_s=ttl_s)
            own = fabric.restore

            def restore() -> None:
                own()
                restored.append(True)

            monkeypatch.setattr(fabric, "restore", restore)
            return fabric

    def driver(options: BackendOptions, inventory: Inventory) -> LocalDriver:
        return Failing(made, made.options(lead_s=1))

    monkeypatch.setattr(kind, "PerftestDriver", driver)
    observation = observed(Hosts(inventory=str(made.inventory), canary=True), NIGHT)
    assert observation.not_run is not None
    assert observation.not_run.startswith("the canary could not be run: workload 'canary' was started 3 times")
    assert not observation.metrics
    assert any(fact.startswith(("ready: ", "to_mend: ")) for fact in observation.facts)
    assert restored
    assert processes(made) == {}


def test_outside_the_maintenance_windows_no_canary_runs(tmp_path: Path) -> None:
    begins = datetime.now(UTC) + timedelta(hours=6)
    window = {"days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], "from": f"{begins:%H}:00", "to": f"{begins:%H}:30"}
    made = cluster(tmp_path, hosts=("H1",), changes={"maintenance": [window]})
    observation = observed(Hosts(inventory=str(made.inventory), canary=True), NIGHT)
    assert observation.not_run is not None
    assert "allows no canary now, outside its maintenance windows; the next one begins at" in observation.not_run
    assert observed(Hosts(inventory=str(made.inventory)), NIGHT).not_run is None


def test_without_an_inventory_tonights_hosts_are_checked_or_some_of_them(tmp_path: Path) -> None:
    made = cluster(tmp_path, hosts=("H1", "H2"))
    tonight = TonightHosts(
        inventory=load_inventory(made.inventory), how="two hosts", until=datetime.now(UTC) + timedelta(minutes=9)
    )
    found = values(observed(Hosts(nodes="H2"), replace(NIGHT, hosts=tonight)))
    assert sum(value for value in found.values() if value is not None) == 1
    need = KINDS.get("hosts").hosts(Hosts(canary=True), NIGHT)
    assert need is not None
    assert need.least == 3
    assert KINDS.get("hosts").hosts(Hosts(inventory="site"), NIGHT) is None
    not_run = observed(Hosts(), NIGHT).not_run
    assert not_run is not None
    assert "neither the entry has an inventory, nor the check a section hosts" in not_run


@pytest.mark.slow
def test_the_profile_of_a_real_opensm_is_back_after_the_canary(
    tmp_path: Path, standing: Standing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The senders' rates do not change with it, so nothing is known of them."""
    made = cluster(tmp_path, changes={"canary": CANARY, "subnet_manager": {"socket": str(standing.plugin)}})
    seen = []

    class Watching(PerftestDriver):
        def start(self, workload: Any, *, seed: int) -> Any:
            seen.append(standing.holds(SITE))
            return super().start(workload, seed=seed)

    def driver(options: BackendOptions, inventory: Inventory) -> PerftestDriver:
        return Watching(BackendOptions(settings={"backend.lead_s": 2}, owner=options.owner), inventory)

    monkeypatch.setattr(kind, "PerftestDriver", driver)
    observation = observed(Hosts(inventory=str(made.inventory), canary=True), NIGHT)
    assert observation.not_run is None
    assert values(observation)["throttling_unknown"] == 5
    assert seen
    assert not any(seen), "the canary's profiles were in force while hosts sent"
    assert standing.holds(SITE)
    assert standing.is_free()
    assert processes(made) == {}
