# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Nights of the kind `routes` on an emulated tree, with a real OpenSM and the real plugin, while routing changes."""

import gzip
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import pytest

from tests.emulator.conftest import Emulate
from tests.opensm_plugin.plugin_process import Load, PluginBed, PluginProcess
from tuner.checks.observation import Finding
from tuner.checks.routes.record import forwarding_of, record_of
from tuner.checks.run_check import run_check
from tuner.checks.store.history import History
from tuner.checks.store.night_run import NightRun
from tuner.document_base.model import build_model
from tuner.documents.check import Check
from tuner.fabric.topologies.base import generate
from tuner.opensm.plugin_client import PluginClient

WITHIN_S = 300.0


class Nights:
    """A check of its own history. Each call is the next night."""

    def __init__(self, folder: Path) -> None:
        self._history = History(folder, "site")
        self._day = 0

    def __call__(self, process: PluginProcess) -> NightRun:
        self._day += 1
        kinds = [{"kind": "routes", "socket": str(process.setup.socket)}]
        document = {"ibcc_check": 1, "name": "site", "fabric": "two-switch", "kinds": kinds}
        return run_check(build_model(Check, document, source="test"), self._history, date(2026, 1, self._day)).run


@pytest.fixture
def tree(load: Load, emulate: Emulate) -> PluginBed:
    """64 hosts, 48 switches on three levels."""
    return load(emulate(generate("k-ary-n-tree", k=4, n=3)))


def routed_by(bed: PluginBed, engine: str) -> AbstractContextManager[PluginProcess]:
    return bed.opensm(opensm_options={"routing_engine": engine})


def codes(run: NightRun) -> set[str]:
    return {finding.code for entry in run.entries for finding in entry.findings}


def changed(run: NightRun) -> Finding:
    (one,) = (finding for entry in run.entries for finding in entry.findings if finding.code == "route-changed")
    return one


def try_next_steps(bed: PluginBed, run: NightRun) -> set[str]:
    """Runs the commands that findings name, on the fabric; the programs."""
    steps = {finding.next_step for entry in run.entries for finding in entry.findings if "opensm.conf" not in finding.next_step}
    for step in steps:
        bed.bed.clients.output(*shlex.split(step))
    return {step.split(" ")[0] for step in steps}


@dataclass(frozen=True)
class Cable:
    """A cable between a leaf and a switch of the second level; can be pulled and put back."""

    bed: PluginBed
    process: PluginProcess

    @property
    def end(self) -> str:
        return f"{self.bed.bed.fabric.switches[self._switch].name}/1"

    @contextmanager
    def pulled(self) -> Iterator[None]:
        before = self._active()
        self._set(False, before - 2)
        yield
        self._set(True, before)

    @property
    def _switch(self) -> int:
        return next(i for i, one in enumerate(self.bed.bed.fabric.switches) if one.name.startswith("S2"))

    def _active(self) -> int:
        with PluginClient(self.process.setup.socket) as client:
            return sum(row["state"] == "active" for row in client.links())

    def _set(self, up: bool, active: int) -> None:
        """Waits until OpenSM knows."""
        self.bed.bed.emulated.emulator.set_link(self._switch, 1, up)
        deadline = time.monotonic() + WITHIN_S
        while self._active() != active:
            assert time.monotonic() < deadline
            time.sleep(0.05)


@pytest.mark.slow
def test_nights_in_which_routing_changes(tree: PluginBed, tmp_path: Path) -> None:
    night = Nights(tmp_path)
    with routed_by(tree, "updn") as process:
        assert night(process).entries[0].values["changed_entries"] is None
        quiet = night(process)
        assert quiet.entries[0].values["changed_entries"] == 0.0
        assert "route-changed" not in codes(quiet)
        cable = Cable(tree, process)
        with cable.pulled():
            pulled = night(process)
            assert "iblinkinfo" in try_next_steps(tree, pulled)
        assert pulled.state == "warn"
        one = changed(pulled)
        assert cable.end in one.place
        assert one.sentence.endswith(f"as link {one.place} is gone")
        assert pulled.entries[0].values["unreachable_pairs"] == 0.0
        assert changed(night(process)).sentence.endswith(f"as link {one.place} is new")
    with routed_by(tree, "ftree") as process:
        other = night(process)
        assert other.state == "fail"
        assert changed(other).sentence.startswith("the routing engine is ftree, and was updn on ")


@pytest.mark.slow
def test_ftree_gives_up_for_a_cable(tree: PluginBed, tmp_path: Path) -> None:
    """OpenSM then takes minhop, which an administrator wants to know."""
    night = Nights(tmp_path)
    with routed_by(tree, "ftree") as process:
        first = night(process)
        assert (first.state, codes(first)) == ("pass", set())
        assert first.entries[0].values["imbalance"] == 1.0
        cable = Cable(tree, process)
        with cable.pulled():
            pulled = night(process)
        one = changed(pulled)
        assert one.severity == "fail"
        assert one.sentence.startswith("the routing engine is minhop, and was ftree on ")
        assert f"{cable.end} " in one.evidence
        assert " is gone" in one.evidence
        assert codes(night(process)) == set(), "as in the good night"


@pytest.mark.slow
def test_a_ring_that_minhop_routes_has_a_credit_loop(load: Load, emulate: Emulate, tmp_path: Path) -> None:
    night = Nights(tmp_path)
    bed = load(emulate(generate("torus", dims=[6], hosts_per_switch=2)))
    with bed.opensm(opensm_options={"routing_engine": "minhop"}) as process:
        seen = night(process)
        assert seen.state == "fail"
        assert codes(seen) == {"credit-loop"}
        assert seen.entries[0].values["credit_loops"] == 1.0
        assert try_next_steps(bed, seen) == {"ibroute"}
    with bed.opensm(opensm_options={"routing_engine": "dfsssp", "qos": True}) as process:
        seen = night(process)
        assert seen.entries[0].values["credit_loops"] is None
        assert any("dfsssp chooses the SL of each path" in fact for fact in seen.entries[0].facts)
    with bed.opensm(
        opensm_options={"routing_engine": "dfsssp", "qos": True, "qos_sl2vl": "0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3"}
    ) as process:
        seen = night(process)
        assert codes(seen) == {"sl2vl-changed"}
        assert seen.state == "fail"
        assert try_next_steps(bed, seen) == {"smpquery"}


@pytest.mark.slow
def test_nights_of_the_largest_tree_take_seconds(load: Load, emulate: Emulate, tmp_path: Path) -> None:
    """5,832 hosts on 972 switches: exit code, CPU seconds and MiB of `ibcc check run` in a first night, in one in which nothing
    has changed, and in one in which all entries have; `-s` shows them."""
    bed = load(emulate(generate("k-ary-n-tree", k=18, n=3)))
    check = tmp_path / "site.yaml"
    with routed_by(bed, "ftree") as process:
        kinds = f"[{{kind: routes, socket: {process.setup.socket}}}]"
        check.write_text(f"ibcc_check: 1\nname: site\nfabric: two-switch\nkinds: {kinds}\n")
        nights = [used(check, "2026-01-01"), used(check, "2026-01-02")]
        (path,) = (tmp_path / "nights/site").glob("000002.*.record.gz")
        print(f"a record of {path.stat().st_size} bytes")
        for path in (tmp_path / "nights/site").glob("*.record.gz"):
            record = json.loads(gzip.decompress(path.read_bytes()))
            f = forwarding_of(record)
            path.write_bytes(gzip.compress(json.dumps(record_of(replace(f, out=f.out % 36 + 1))).encode()))
        nights.append(used(check, "2026-01-03"))
    print(f"(exit code, CPU seconds, MiB) of three nights: {nights}")
    assert [exit_code for exit_code, _, _ in nights] == [0, 0, 1]
    assert all(cpu_s < 30 and mib < 1000 for _, cpu_s, mib in nights)


def used(check: Path, day: str) -> tuple[int, float, int]:
    """Exit code, CPU seconds and the most MiB of memory of a night."""
    command = [sys.executable, "-m", "tuner.cli.main", "check", "run", str(check), "--history", str(check.parent / "nights")]
    child = subprocess.Popen([*command, "--date", day], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024
