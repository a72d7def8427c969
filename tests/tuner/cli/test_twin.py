# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc twin` as a process: what it writes, and that nothing stays of it, whatever ends it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.tuner.cli.conftest import Command
from tuner.documents.fabric_text import fabric_text
from tuner.fabric.topologies.base import generate

PAIR_OF_LEAVES = {"leaves": 4, "spines": 2, "hosts_per_leaf": 5}
WAIT_S = 300.0


@pytest.fixture
def small(tmp_path: Path) -> Path:
    file = tmp_path / "small.yaml"
    file.write_text(fabric_text(generate("leaf-spine", **PAIR_OF_LEAVES), []))
    return file


def programs(folder: Path, script: str) -> Path:
    """A folder with an `opensm` of ours."""
    folder.mkdir()
    (folder / "opensm").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "opensm").chmod(0o755)
    return folder


def mentioning(text: str) -> list[int]:
    """Processes whose command line or environment has a text, but for this one."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            seen = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
        except OSError:
            continue
        if text.encode() in seen and int(folder.name) != os.getpid():
            found.append(int(folder.name))
    return found


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


@contextmanager
def twin(small: Path, folder: Path, path: str, more: Sequence[str] = ()) -> Iterator["subprocess.Popen[str]"]:
    """`ibcc twin` whose temporary files go to the folder `temporary`."""
    (folder / "temporary").mkdir()
    environment = {**os.environ, "TMPDIR": str(folder / "temporary"), "PATH": path}
    words = [sys.executable, "-m", "tuner.cli.main", "twin", str(small), "--out", str(folder / "out"), *more]
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_the_report_and_all_that_it_rests_on_are_written(
    command: Command, small: Path, tmp_path: Path, infiniband_programs: None
) -> None:
    out = tmp_path / "out"
    done = command("twin", small, "--out", out, "--json")
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert report == json.loads((out / "report.json").read_text())
    assert sorted(path.name for path in out.iterdir()) == [
        "fabric.yaml", "opensm", "profile.yaml", "report.html", "report.json", "workload.json"
    ]  # fmt: skip
    assert "1 of 7, comparing routings: 0% of all, about" in done.err
    assert sorted(path.name for path in (out / "opensm").iterdir()) == ["cn-guids", "opensm.conf", "root-guids"]
    again = command("simulate", out / "workload.json", "--profile", out / "profile.yaml", "--output", "json")
    victims = [flow["mean_gbps"] for flow in json.loads(again.out)["flows"] if flow["role"] == "victim"]
    assert len(victims) == report["suggestion"]["with"]["n_victims"]


def test_wrong_input_is_said_before_anything_is_made(command: Command, tmp_path: Path) -> None:
    done = command("twin", tmp_path / "none.txt", "--out", tmp_path / "out")
    assert (done.code, "does not exist; name a file that `ibcc fabric import` reads" in done.err) == (2, True)
    (tmp_path / "poem.txt").write_text("Shall I compare thee\n")
    done = command("twin", tmp_path / "poem.txt", "--out", tmp_path / "out")
    assert (done.code, "is in no known format" in done.err) == (2, True)
    assert not (tmp_path / "out").exists()


@pytest.mark.long
@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 130), pytest.param(signal.SIGKILL, -9, marks=pytest.mark.thorough)],
)
def test_nothing_stays_of_a_twin_that_is_ended(
    small: Path, tmp_path: Path, infiniband_programs: None, number: signal.Signals, code: int
) -> None:
    """While OpenSM runs, which by itself would never end."""
    path = f"{programs(tmp_path / 'bin', 'exec sleep 1000')}:{os.environ['PATH']}"
    with twin(small, tmp_path, path) as process:
        until(lambda: any(tmp_path.glob("temporary/ibcc-trial-*/opensm.log")))
        process.send_signal(number)
        assert process.wait(WAIT_S) == code
    until(lambda: not mentioning(str(tmp_path)))
    until(lambda: not any((tmp_path / "temporary").iterdir()))
    assert not (tmp_path / "out").exists()


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_stays_of_a_twin_with_a_real_opensm(tmp_path: Path, infiniband_programs: None, number: signal.Signals) -> None:
    large = tmp_path / "large.yaml"
    large.write_text(fabric_text(generate("leaf-spine", leaves=20, spines=10, hosts_per_leaf=10), []))
    with twin(large, tmp_path, os.environ["PATH"]) as process:
        until(lambda: any(file.stat().st_size for file in tmp_path.glob("temporary/ibcc-trial-*/opensm.log")))
        process.send_signal(number)
        process.wait(WAIT_S)
    until(lambda: not mentioning(str(tmp_path)))
    until(lambda: not any((tmp_path / "temporary").iterdir()))


@pytest.mark.thorough
def test_a_twin_that_is_ended_while_it_simulates_leaves_nothing(small: Path, tmp_path: Path) -> None:
    path = f"{programs(tmp_path / 'bin', 'exit 1')}:{os.environ['PATH']}"
    with twin(small, tmp_path, path) as process:
        assert process.stderr is not None
        while "simulating without" not in process.stderr.readline():
            pass
        process.terminate()
        assert process.wait(WAIT_S) == 130
    assert not mentioning(str(tmp_path))
    assert not any((tmp_path / "temporary").iterdir())
    assert not (tmp_path / "out").exists()


@pytest.mark.thorough
def test_an_opensm_that_is_killed_costs_no_other_step(small: Path, tmp_path: Path, infiniband_programs: None) -> None:
    pid = tmp_path / "pid"
    path = f"{programs(tmp_path / 'bin', f'echo $$ > {pid}; exec sleep 1000')}:{os.environ['PATH']}"
    with twin(small, tmp_path, path) as process:
        until(lambda: pid.exists() and pid.read_text().strip() != "")
        os.kill(int(pid.read_text()), signal.SIGKILL)
        out, err = process.communicate(timeout=WAIT_S)
    assert process.returncode == 0, err
    assert "Nobody has tried this line on the fabric: OpenSM has ended with -9" in out
    assert (tmp_path / "out/report.html").exists()
    assert not any((tmp_path / "temporary").iterdir())


@pytest.mark.thorough
@pytest.mark.parametrize(("which", "size"), [("out", "64k"), ("temporary", "24k")])
def test_a_full_disk_is_named(small: Path, tmp_path: Path, infiniband_programs: None, which: str, size: str) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounts = f"mount -t tmpfs -o size={size} none {disk}"
    if subprocess.run(["unshare", "-rm", "sh", "-c", mounts], capture_output=True, check=False).returncode != 0:
        pytest.skip("no file system can be mounted here: unshare -rm is refused")
    folders = {"out": tmp_path / "out", "temporary": tmp_path} | {which: disk / which}
    environment = {**os.environ, "TMPDIR": str(folders["temporary"])}
    run = f"exec {sys.executable} -m tuner.cli.main twin {small} --out {folders['out']}"
    script = f"{mounts} && mkdir -p {folders['temporary']} && {{ {run}; }}"
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script], env=environment, capture_output=True, text=True, timeout=WAIT_S, check=False
    )
    if which == "out":
        assert done.returncode == 2, done.stderr
        assert f"the report cannot be written to '{disk}/out': No space left on device" in done.stderr
    else:
        assert done.returncode == 0, done.stderr  # OpenSM goes on without its caches
        assert (tmp_path / "out/report.html").exists()
