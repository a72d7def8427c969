# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Nights in jobs of a real Slurm with several nodes, which are all this machine; only perftest is stood in for."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.perftest_mods.agent.agent_process import AGENT, PYTHON
from tests.ports import block
from tests.tuner.checks.hosts.test_hosts_of_night import ALL, NIGHT, check, planned
from tests.tuner.cli.conftest import Command
from tests.tuner.hosts.launchers import slurm_cluster, ssh_server
from tests.tuner.hosts.launchers.conftest import require
from tests.tuner.hosts.local_cluster import LocalCluster
from tests.tuner.hosts.test_perftest_driver import await_nothing_left, left
from tuner.checks.decisions import Decisions
from tuner.checks.expected import expected_tonight
from tuner.documents.check import Drained
from tuner.documents.check_hosts import SlurmJob
from tuner.errors import UnreachableError
from tuner.hosts.slurm_job import PATIENCE_S, HeldJob, node_states

pytestmark = pytest.mark.slow

NODES = [f"n{number}" for number in range(1, 8)]
CHECKS = SlurmJob(partition="checks", wait_s=5)


@pytest.fixture(scope="module")
def running() -> Iterator[dict[str, str]]:
    require(slurm_cluster.missing())
    with slurm_cluster.running(len(NODES)) as environment:
        yield environment


@pytest.fixture(autouse=True)
def slurm(running: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Its commands, and that all nodes are idle again in the end."""
    for key, value in running.items():
        monkeypatch.setenv(key, value)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    yield
    wait_until(lambda: len(idle()) == len(NODES), 30)
    assert jobs() == ""


@pytest.fixture
def site(tmp_path: Path) -> LocalCluster:
    return cluster(tmp_path, {"kind": "srun"})


def cluster(folder: Path, launcher: dict[str, Any]) -> LocalCluster:
    ports = block()
    port = ports.first
    hosts = [
        {
            "nodes": node, "host": host, "device": host, "address": "127.0.0.1",
            "tcp_ports": [port + 100 * k, port + 100 * k + 99],
        }
        for k, (node, host) in enumerate(zip(NODES, ALL, strict=True))
    ]  # fmt: skip
    return LocalCluster(folder, hosts=ALL, ports=ports, changes={"hosts": hosts, "launcher": launcher})


def slurm_check(folder: Path, duration_s: float = 0.6, **slurm: Any) -> Path:
    path = check(folder, lead_s=4, slurm={"partition": "checks", **slurm})
    workload = folder / "workload.yaml"
    workload.write_text(workload.read_text().replace("duration_s: 0.6", f"duration_s: {duration_s}"))
    return path


def called(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout.strip()


def idle() -> list[str]:
    return [node for node, state in node_states(CHECKS).items() if state == "idle"]


def jobs() -> str:
    return called("squeue", "--noheader", "--format=%i %T")


def wait_until(is_so: Callable[[], bool], seconds: float) -> float:
    began_s = time.monotonic()
    while not is_so():
        assert time.monotonic() < began_s + seconds
        time.sleep(0.1)
    return time.monotonic() - began_s


def traffic(site: LocalCluster) -> bool:
    return any("ib_write_bw -F" in line for line in left(site))


@contextmanager
def started(path: Path, site: LocalCluster) -> "Iterator[subprocess.Popen[str]]":
    """A check whose hosts send."""
    command = [sys.executable, "-m", "tuner.cli.main", "check", "run", str(path), "--history", str(path.parent / "h")]
    with subprocess.Popen([*command, "--output", "json"], stdout=subprocess.PIPE, text=True) as process:
        try:
            wait_until(lambda: traffic(site), 60)
            yield process
        finally:
            process.kill()


def test_a_night_runs_in_a_job_and_leaves_none(site: LocalCluster, tmp_path: Path, command: Command) -> None:
    path = slurm_check(tmp_path)
    finished = command("check", "run", path, "--history", tmp_path / "h", "--date", NIGHT, "--output", "json")
    assert jobs() == ""
    await_nothing_left(site)
    assert finished.code == 0, finished.out
    (entry,) = json.loads(finished.out)["entries"]
    assert entry["values"]["victim_throughput"] > 0
    assert ", of job " in entry["facts"][0]


def test_a_dry_run_submits_nothing(site: LocalCluster, tmp_path: Path) -> None:
    before = called("squeue", "--noheader", "--states=all", "--format=%i")
    text = planned(slurm_check(tmp_path))
    assert "fairness would use 5 hosts, n[" in text
    assert "they would be taken by sbatch --parsable --job-name=ibcc-check-site --partition=checks --nice=2147483645" in text
    assert "--time=10 " in text
    assert called("squeue", "--noheader", "--states=all", "--format=%i") == before
    assert left(site) == []


def test_a_job_of_a_user_takes_the_nodes_back(site: LocalCluster, tmp_path: Path) -> None:
    with started(slurm_check(tmp_path, 60), site) as process:
        began_s = time.monotonic()
        called("srun", "--partition=all", f"--nodes={len(NODES)}", "--exclusive", "/bin/true")
        assert time.monotonic() - began_s < 15, "users wait for no check"
        document = json.loads(process.communicate(timeout=60)[0])
    await_nothing_left(site)
    assert process.returncode == 3
    (entry,) = document["entries"]
    assert "was preempted: Slurm has given its nodes to a job of higher priority" in entry["not_run"]
    assert document["state"] == "could not be run"


def test_traffic_that_is_no_step_of_the_job_ends_with_it_too(tmp_path: Path) -> None:
    require(ssh_server.missing())
    (tmp_path / "ssh").mkdir()
    agent = [PYTHON, "-S", "-E", str(AGENT), "--config", str(tmp_path / "agent.json")]
    with ssh_server.serving(tmp_path / "ssh", agent) as server:
        launcher = {"kind": "ssh", "target": "127.0.0.1", "options": server.options, "connect_timeout_s": 60}
        site = cluster(tmp_path, launcher)
        with started(slurm_check(tmp_path, 60), site) as process:
            called("srun", "--partition=all", f"--nodes={len(NODES)}", "--exclusive", "/bin/true")
            wait_until(lambda: not traffic(site), 15)
            document = json.loads(process.communicate(timeout=60)[0])
    await_nothing_left(site)
    assert "was preempted: Slurm has given its nodes" in document["entries"][0]["not_run"]


def test_nothing_is_left_of_a_check_that_is_killed(site: LocalCluster, tmp_path: Path) -> None:
    with started(slurm_check(tmp_path, 300), site) as process:
        process.kill()
    assert process.returncode == -signal.SIGKILL
    await_nothing_left(site, 20)
    wait_until(lambda: jobs() == "", PATIENCE_S + 20)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_check_that_is_stopped_gives_the_nodes_back(number: signal.Signals, site: LocalCluster, tmp_path: Path) -> None:
    with started(slurm_check(tmp_path, 300), site) as process:
        process.send_signal(number)
        process.communicate(timeout=60)
    assert jobs() == ""
    await_nothing_left(site)


def test_nodes_that_are_not_idle_are_not_taken(site: LocalCluster, tmp_path: Path, command: Command) -> None:
    with subprocess.Popen(["srun", "--partition=all", "--nodes=3", "--exclusive", "/bin/sleep", "60"]) as busy:
        try:
            wait_until(lambda: len(idle()) == 4, 30)
            path = slurm_check(tmp_path)
            finished = command("check", "run", path, "--history", tmp_path / "h", "--date", NIGHT, "--output", "json")
            assert finished.code == 3
            assert json.loads(finished.out)["entries"][0]["not_run"] == "workload 'short' needs 5 hosts, and there are 4"
            late = HeldJob(CHECKS, NODES, name="late", limit_s=60)
            with pytest.raises(
                UnreachableError, match=r"has not started job \d+ on n\[1-7\] within 5 s \(.*\); the job was withdrawn"
            ):
                late.start()
        finally:
            busy.terminate()


def test_names_that_slurm_does_not_have_are_told(site: LocalCluster, tmp_path: Path) -> None:
    text = site.inventory.read_text()
    for node in NODES:
        text = text.replace(f"nodes: {node}\n", f"nodes: x{node}\n")
    site.inventory.write_text(text)
    assert planned(slurm_check(tmp_path)) == "Slurm has none of the 7 nodes that may be used, xn[1-3] …; it has n[1-3] …"
    assert planned(slurm_check(tmp_path, partition="nowhere")) == "Slurm has no nodes in a partition 'nowhere'"


def test_a_job_that_slurm_refuses_is_quoted() -> None:
    with pytest.raises(UnreachableError, match="sbatch failed: .*Invalid partition name specified"):
        HeldJob(SlurmJob(partition="nowhere"), NODES[:1], name="j", limit_s=60).start()


def test_a_job_that_somebody_cancels_is_lost() -> None:
    job = HeldJob(CHECKS, NODES[:2], name="j", limit_s=60)
    try:
        job.start()
        assert job.look() is None
        called("scancel", str(job.id))
        assert job.look() == f"job {job.id} on n[1-2] was cancelled by somebody else"
        wait_until(lambda: job.lost() is not None, 20)
    finally:
        job.release()


def test_a_job_lasts_as_long_as_it_is_held() -> None:
    job = HeldJob(CHECKS, NODES[:2], name="j", limit_s=300)
    try:
        job.start()
        time.sleep(PATIENCE_S + 15)  # it would have been given up by then
        assert job.look() is None
    finally:
        job.release()


def test_a_node_that_is_drained_may_be_gone_and_another_may_not() -> None:
    called("scontrol", "update", "nodename=n3", "state=drain", "reason=rack 7, cooling")
    try:
        wait_until(lambda: node_states(CHECKS)["n3"] == "drained", 30)
        found = expected_tonight(Drained(slurm=True, partition="checks"), Decisions(), date(2026, 1, 31))
    finally:
        called("scontrol", "update", "nodename=n3", "state=resume")
    assert found.problems == ()
    assert found.gone(("leaf 1/3", "n3 mlx5_0/1")) == "drained as Slurm says (rack 7, cooling)"
    assert found.gone(("leaf 1/4", "n4 mlx5_0/1")) is None
    assert found.private == ("rack 7, cooling",)
    asked = expected_tonight(Drained(slurm=True, partition="none"), Decisions(), date(2026, 1, 31))
    assert asked.problems[0].startswith("Slurm does not say which hosts are drained: ")
