# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The test of a host by itself, after a boot and before a job: real agents, and a program in place of perftest."""

import importlib.machinery
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.perftest_mods.agent.agent_process import PYTHON, SOURCES
from tests.perftest_mods.agent.made_up_sysfs import MadeUpHost
from tests.tuner.hostping.ping_site import PingSite, two_adapters
from tests.tuner.hostping.scripted import run_events, topology_event, use_event
from tests.tuner.hostping.test_ping import inventory, slow_node1
from tuner.hostping import loopback
from tuner.hostping.baselines import BaselineCell, HostBaselines, ModelBaseline, save_baselines
from tuner.hostping.planted import Faults, planted_matrix
from tuner.hostping.reading import read_inside

PROGRAM, PROLOG = SOURCES / "ibcc_host_test", SOURCES / "slurm_prolog"


def loaded() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("ibcc_host_test", str(PROGRAM))
    spec = importlib.util.spec_from_loader("ibcc_host_test", loader)
    assert spec is not None
    found = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        loader.exec_module(found)
    finally:
        sys.dont_write_bytecode = before
    return found


HOST_TEST: Any = loaded()
HOSTS = [
    MadeUpHost(sockets=(0, 1), adapters=(0, 1), gpus=()),
    MadeUpHost(),
    MadeUpHost(sockets=(0,), adapters=(), gpus=(0,)),
    MadeUpHost(sockets=(0, 0, 1), adapters=(2,), gpus=(), has_switches=False),
]


@pytest.mark.parametrize("host", HOSTS)
def test_it_has_the_model_the_request_and_the_numbers_of_hosts_ping(tmp_path: Path, host: MadeUpHost) -> None:
    topology = topology_event(tmp_path, host)
    inside = read_inside(topology)
    assert HOST_TEST.model_of(topology) == inside.model
    assert HOST_TEST.memories(topology) == dict(inside.memory_nodes)
    (asking,) = inventory(1, ports=100).by_node.values()
    for adapter, port in zip(topology["adapters"], inside.ports, strict=True):
        best = HOST_TEST.best_port(adapter)
        assert (best is None) == (port.why_not is not None)
        assert HOST_TEST.line_gbps(best) == port.line_gbps
        theirs = loopback.request(asking, port, inside.memory_nodes, start_ns=7, seconds=HOST_TEST.SECONDS, time_limit_s=9)
        mine = HOST_TEST.request_of(
            adapter["name"], best, HOST_TEST.memories(topology), asking.address, list(asking.tcp_ports), 7
        )
        assert {**mine, "time_limit_s": 9} == theirs
        assert HOST_TEST.length_s(list(inside.memory_nodes)) == loopback.length_s(list(inside.memory_nodes), HOST_TEST.SECONDS)
        events = run_events(theirs, slow_node1)
        measured, _ = loopback.cells(events, port, list(inside.memory_nodes))
        assert HOST_TEST.cells_of(events, adapter["name"], HOST_TEST.memories(topology)) == (
            {endpoint: cell.bandwidth_gbps for endpoint, cell in measured.items()},
            {},
        )


def test_a_busy_adapter_and_busy_processors_are_told_as_hosts_ping_tells_them(tmp_path: Path) -> None:
    topology = topology_event(tmp_path, HOSTS[0])
    assert HOST_TEST.why_busy(topology, use_event()) is None
    assert "mlx5_0 carries 11.0 Gb/s" in HOST_TEST.why_busy(
        topology, use_event(ports=[{**use_event()["ports"][0], "sent_gbps": 11.0}])
    )
    assert "90 % of a NUMA node's processors" in HOST_TEST.why_busy(
        topology, use_event(cpus={"busy_share": 0.5, "by_node": {"0": 0.9}})
    )


class Itself:
    """A host of a site, which tests itself."""

    def __init__(self, folder: Path, **changes: Any) -> None:
        self.site = PingSite(folder, 1, is_quiet=True, **changes)
        self.folder = folder
        topology = json.loads(self.agent('{"op": "topology"}').splitlines()[1])
        cells = planted_matrix(two_adapters(), Faults(), seed=1).cells
        self.model = ModelBaseline(
            model=HOST_TEST.model_of(topology),
            date="2026-01-31",
            hosts=5,
            cells=tuple(
                BaselineCell(adapter=adapter, endpoint=endpoint, bandwidth_gbps=cell.bandwidth_gbps or 0.0, latency_us=1.0)
                for (adapter, endpoint), cell in cells.items()
            ),
        )
        self.baselines = folder / "baselines.json"
        self.keep(self.model)

    def keep(self, *models: ModelBaseline) -> None:
        save_baselines(self.baselines, HostBaselines(models=models))

    def agent(self, request: str) -> str:
        own = self.site.of(1)
        argv = [PYTHON, "-SE", str(own / "agent.py"), "--config", str(own / "agent.json")]
        with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as agent:
            assert agent.stdin is not None
            assert agent.stdout is not None
            agent.stdin.write(request + "\n")
            agent.stdin.flush()
            lines = []
            for line in agent.stdout:
                lines.append(line)
                if '"done"' in line:
                    break
            agent.stdin.close()
        return "".join(lines)

    @property
    def options(self) -> list[str]:
        own = self.site.of(1)
        return [
            "--agent", str(own / "agent.py"), "--config", str(own / "agent.json"), "--address", "127.0.0.1",
            "--baselines", str(self.baselines),
        ]  # fmt: skip

    def test(self, *words: str) -> tuple[int, str]:
        done = subprocess.run([PYTHON, "-SE", str(PROGRAM), *self.options, *words], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


@pytest.mark.long
def test_a_host_tells_whether_it_is_slow_inside(tmp_path: Path) -> None:
    host = Itself(tmp_path)
    assert host.test() == (0, "all 4 measured paths are normal\n")
    host.site.plant(1, Faults(links_gbps={"memory:node1": 60}))
    code, said = host.test()
    assert (code, said.count("with the memory of node1: 60.0 Gb/s, normal are 196.0")) == (1, 2), said


def test_what_cannot_be_judged_is_no_fault(tmp_path: Path) -> None:
    host = Itself(tmp_path)
    host.keep(host.model.model_copy(update={"model": "another"}))
    code, said = host.test()
    assert (code, "has no hosts of model 'Maker Model 7" in said) == (3, True)
    host.keep(host.model.model_copy(update={"hosts": 2}))
    assert "has 2 hosts of its model; 3 are needed" in host.test()[1]
    host.baselines.write_text("[]")
    assert "is no file of ibcc hosts ping --save-baseline" in host.test()[1]
    host.baselines.unlink()
    assert host.test() == (3, f"not judged: {host.baselines} cannot be read: No such file or directory\n")
    host.site.replace_agent(1, "print('x')\n")
    code, said = host.test()
    assert (code, "its agent failed" in said) == (3, True)
    assert host.test("--most-s", "5")[0] == 2


def test_an_agent_that_hangs_costs_no_more_than_the_time(tmp_path: Path) -> None:
    host = Itself(tmp_path)
    host.site.replace_agent(1, "import signal, time\nsignal.signal(15, signal.SIG_IGN)\ntime.sleep(600)\n")
    code, said = host.test("--most-s", "10")
    assert (code, said) == (3, "not judged: its agent did not finish 'topology' in time\n")


@pytest.mark.long
@pytest.mark.parametrize(("found", "drain", "code"), [(1, "yes", 1), (1, "no", 0), (3, "yes", 0), (0, "yes", 0), (124, "yes", 0)])
def test_the_prolog_drains_slow_nodes_where_the_site_wants_that(tmp_path: Path, found: int, drain: str, code: int) -> None:
    own = tmp_path / "usr/lib/ibcc/ibcc_host_test"
    own.parent.mkdir(parents=True)
    own.write_text(f"#!/bin/sh\necho slow: mlx5_0 $*\nexit {found}\n")
    own.chmod(0o755)
    environment = {**os.environ, "IBCC_ROOT": str(tmp_path), "SLURM_JOB_ID": "7"}

    def prolog() -> "subprocess.CompletedProcess[str]":
        return subprocess.run(["/bin/sh", PROLOG], env=environment, capture_output=True, text=True, check=False)

    (tmp_path / "etc/ibcc").mkdir(parents=True)
    (tmp_path / "etc/ibcc/host_test.conf").write_text(f"DRAIN={drain}\nMOST_S=30\n")
    assert prolog().returncode == 0, "without baselines there is nothing to compare with"
    (tmp_path / "etc/ibcc/baselines.json").touch()
    done = prolog()
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr == ("ibcc: slow: mlx5_0 --most-s 30\n" if code else "")


def test_python_3_8_reads_it() -> None:
    text = PROGRAM.read_text()
    compile(text, str(PROGRAM), "exec")
    for newer in (r"\bmatch \w+:", r"\bexcept\*", r":=.*:=", r"\bstr \| None", r"removeprefix"):
        assert re.search(newer, text) is None, newer
