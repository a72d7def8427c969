# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc hosts ping` with real agents, and a program that stands in for perftest."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.patience import within
from tests.perftest_mods.agent.agent_process import require_begun, require_gone
from tests.perftest_mods.agent.made_up_sysfs import MadeUpHost
from tests.tuner.cli.conftest import Command
from tests.tuner.hostping.ping_site import PingSite
from tuner.hostping.planted import Faults

FAST = ("--seconds", "0.1", "--lead-s", "1", "--busy-cores", "1")
DIES = 'import sys\nsys.stdin.readline()\nprint(\'{"ibcc_agent":1,"event":"hello","wall_ns":1}\', flush=True)\nsys.exit(9)\n'
HANGS = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)\n"
LIES = """import json, sys
op = json.loads(sys.stdin.readline())["op"]
for event in ({"event": "hello", "wall_ns": 1}, {"event": op, "adapters": [[[1]]], "pci": -1}, {"event": "done", "left": 0}):
    print(json.dumps({"ibcc_agent": 1, **event}), flush=True)
"""


@pytest.mark.long
def test_a_slow_link_is_named_beside_hosts_that_die_and_lie(command: Command, tmp_path: Path) -> None:
    site = PingSite(tmp_path, 5, {1: Faults(links_gbps={"memory:node1": 60})})
    site.replace_agent(4, DIES)
    site.replace_agent(5, LIES)
    kept, plot = tmp_path / "baselines.json", tmp_path / "matrices.svg"
    done = command(
        "hosts", "ping", site.write_inventory(), *FAST, "--save-baseline", kept, "--plot", plot, "--output", "json"
    )  # fmt: skip
    assert done.code == 1
    rows = {host["node"]: host for host in json.loads(done.out)["hosts"]}
    assert {node: row["verdict"] for node, row in rows.items()} == {
        "n1": "slow", "n2": "normal", "n3": "normal", "n4": "not-measured", "n5": "not-measured",
    }  # fmt: skip
    assert [link["link"] for link in rows["n1"]["links"] if link["state"] == "abnormal"] == ["memory:node1"]
    assert rows["n1"]["algorithm_1"]["named"] == ["memory:node1"]
    assert rows["n1"]["confidence"] == "differs"
    assert "cannot be read" in rows["n5"]["sentence"]
    assert "exit code 9" in rows["n4"]["sentence"]
    (model,) = json.loads(kept.read_text())["models"]
    assert model["hosts"] == 3
    assert "slow: n1" in plot.read_text()

    site.plant(2, Faults())
    done = command("hosts", "ping", site.inventory_path, "--nodes", "n2", *FAST, "--baseline", kept)
    assert done.code == 0
    assert "baseline of 3 hosts" in done.out
    assert "All measured paths are normal" in done.out


def test_wrong_options_are_refused_before_anything_is_measured(command: Command, tmp_path: Path) -> None:
    done = command("hosts", "ping", "two-switch", "--plot", tmp_path / "matrices.txt")
    assert done.code == 2
    assert "ends in .svg or .png" in done.err
    (tmp_path / "kept.json").write_text('{"ibcc_host_baselines": 1, "models": [{"model": "m", "hosts": 0}]}')
    done = command("hosts", "ping", "two-switch", "--baseline", tmp_path / "kept.json")
    assert done.code == 2
    assert "models[0] lacks the key 'date'" in done.err


@pytest.mark.thorough
def test_nothing_is_left_when_the_command_is_killed(ibcc: Path, tmp_path: Path) -> None:
    site = PingSite(tmp_path, 2)
    words = ["hosts", "ping", str(site.write_inventory()), "--seconds", "60", "--lead-s", "1", "--busy-cores", "1"]
    started = subprocess.Popen([ibcc, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    tag = f"{tmp_path}/n1/ib_write_bw"
    require_begun(tag, 8)
    started.kill()
    started.wait()
    require_gone(tag)
    require_gone(f"{tmp_path}/n2")


@pytest.mark.slow
def test_64_hosts_of_which_some_hang_die_and_lie(command: Command, tmp_path: Path) -> None:
    links = ("memory:node0", "memory:node1", "sockets:0-1", "0000:10:01.0")
    faults = {number: Faults(links_gbps={links[number % 4]: 50.0}, noise=0.01) for number in range(5, 25)}
    site = PingSite(tmp_path, 64, faults)
    for number, program in ((1, HANGS), (2, DIES), (3, LIES)):
        site.replace_agent(number, program)
    site.write(4, MadeUpHost(sockets=(0,), adapters=(), gpus=()))
    before = os.times()
    done = command("hosts", "ping", site.write_inventory(), *FAST, "--at-once", "8", "--output", "json", "--patience-s", "60")
    after = os.times()
    took_s, cpu_s = after.elapsed - before.elapsed, after.user + after.system - before.user - before.system
    print(f"64 hosts: {took_s:.0f} s, {cpu_s:.1f} s of CPU here, for the coordinator")
    assert done.code == 1
    rows = {host["node"]: host for host in json.loads(done.out)["hosts"]}
    for number in range(1, 65):
        row = rows[f"n{number}"]
        if number <= 4:
            assert row["verdict"] == ("unfit" if number == 4 else "not-measured"), row
        elif number in faults:
            named = {link["link"] for link in row["links"] if link["state"] in ("abnormal", "cannot-be-told-apart")}
            assert named >= set(faults[number].links_gbps), row
            assert row["verdict"] == "slow"
        else:
            assert row["verdict"] == "normal", row
    assert within(took_s, 300)
