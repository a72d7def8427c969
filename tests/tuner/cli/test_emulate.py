# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.tuner.cli.conftest import Command
from tuner.documents import catalogue
from tuner.emulator.client import ControlClient
from tuner.emulator.names import control_socket

_number = itertools.count()


@pytest.fixture
def name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, infiniband_programs: None
) -> str:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
    monkeypatch.chdir(tmp_path)
    return f"ibcc-cli-{os.getpid()}-{next(_number)}"


@contextmanager
def started(*words: object) -> Iterator["subprocess.Popen[str]"]:
    """A program that serves until it is ended."""
    with subprocess.Popen(
        [str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_a_command_runs_inside_and_its_exit_code_is_ours(ibcc: Path, name: str) -> None:
    words: list[str | Path] = [ibcc, "emulate", "two-switch", "--socket", name, "--host", "guid:0x500", "--"]
    done = subprocess.run([*words, "smpquery", "-D", "nodedesc", "0"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split(".")[-1]) == (0, "H3\n")
    assert "2 switches, 7 hosts, 8 links" in done.stderr
    done = subprocess.run([*words, "sh", "-c", "exit 9"], capture_output=True, text=True, check=False)
    assert done.returncode == 9
    assert not control_socket(name).exists()
    assert list(Path.cwd().glob("sys-*")) == []


def test_opensm_first(ibcc: Path, name: str) -> None:
    words: list[str | Path] = [
        ibcc,
        "emulate",
        "two-switch",
        "--socket",
        name,
        "--opensm-args",
        "-R minhop",
        "--",
        "ibnetdiscover",
    ]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    assert done.stdout.count("Switch\t") == 2
    log = re.search(r"routing engine minhop; until it ends, its log is (\S+)", done.stderr)
    assert log is not None
    assert not Path(log[1]).parent.exists()


def test_opensm_that_does_not_come_up(command: Command, name: str) -> None:
    done = command("emulate", "two-switch", "--socket", name, "--opensm-args", "--not-an-option", "--", "true")
    assert done.code == 3
    assert "OpenSM has ended" in done.err
    log = re.search(r"log: (\S+)\)", done.err)
    assert log is not None
    assert Path(log[1]).exists()  # people look at why
    shutil.rmtree(Path(log[1]).parent)


def test_without_a_command_it_prints_what_attaches_and_serves(ibcc: Path, name: str) -> None:
    with started(ibcc, "emulate", "two-switch", "--socket", name) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        attached = subprocess.run(["sh", "-c", f"{line}\nsmpquery -D nodedesc 0,1"], capture_output=True, text=True, check=False)
        assert attached.stdout.split(".")[-1] == "S1\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    assert not control_socket(name).exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_daemon(ibcc: Path, name: str, number: signal.Signals) -> None:
    with started(ibcc.with_name("ccsimd"), "two-switch", "--socket", name, "--set", "model.num_vls=2") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"ready {name} {control_socket(name)}\n"
        with ControlClient(name) as client:
            assert client.status()["hosts"] == 7
        process.send_signal(number)
        assert process.wait(30) == 0
        assert process.stdout.read() == ""


def test_signals_reach_the_command(ibcc: Path, name: str) -> None:
    script = "trap 'echo told; exit 4' TERM; echo ready; while :; do sleep 0.1; done"
    with started(ibcc, "emulate", "two-switch", "--socket", name, "--", "sh", "-c", script) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.readline() == "told\n"
        assert process.wait(30) == 4


def test_a_name_in_use(ibcc: Path, command: Command, name: str) -> None:
    with started(ibcc.with_name("ccsimd"), "two-switch", "--socket", name) as process:
        assert process.stdout is not None
        process.stdout.readline()
        done = command("emulate", "two-switch", "--socket", name, "--", "true")
    assert done.code == 2
    assert done.err == (
        f"ibcc: there is an emulated fabric called '{name}' on this machine already; choose another name with --socket\n"
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nowhere"], "unknown fabric 'nowhere'"),
        (["two-switch", "--socket", "a/b"], "'a/b' cannot name an emulated fabric"),
        (["two-switch", "--set", "profile.ca.ccti_timer=3"], "--set profile.ca.ccti_timer: unknown setting"),
        (["two-switch", "--", "/not/there"], "cannot run '/not/there': No such file or directory"),
        (["two-switch", "--timeout-ms", "0"], "'--timeout-ms'"),
        (["two-switch", "--host", "H9", "--", "true"], "--host: unknown node 'H9'"),
    ],
)
def test_what_makes_no_sense_is_refused(command: Command, name: str, words: list[str], sentence: str) -> None:
    more = [] if "--socket" in words else ["--socket", name]
    finished = command("emulate", *more, *words)
    assert finished.code == 2
    assert sentence in finished.err


def test_without_debians_client(command: Command, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tuner.opensm.preload._candidates", lambda folder: [])
    finished = command("emulate", "two-switch", "--socket", name, "--", "true")
    assert (finished.code, finished.err) == (
        2,
        "ibcc: libumad2sim.so is not installed; Debian's package libumad2sim0 has it\n",
    )


def isolating(tmp_path: Path, model: str) -> Path:
    """The two-switch bed with this `model:`."""
    file = tmp_path / "isolating.yaml"
    file.write_text(catalogue.find("fabric", "two-switch").read_text() + f"model: {model}\n")
    return file


def test_a_scheme_of_one_vl_carries_traffic_under_opensms_tables(ibcc: Path, name: str, tmp_path: Path) -> None:
    fabric = isolating(tmp_path, "{scheme: ccfit}")
    run = f"{ibcc} emulator run scenario-1 --time-scale 0.02 --output json"
    script = f"smpquery -D portinfo 0,1 | grep VLCap; {run} && {ibcc} emulator link S1 19 down && ! {run}"
    words = [ibcc, "emulate", fabric, "--socket", name, "--opensm", "--", "sh", "-c", script]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    caps, _, document = done.stdout.partition("\n")
    assert caps.endswith("VL0")
    measured = json.loads(document)
    assert measured["metrics"]["victim_throughput_gbps"] > 12.9  # voqsw: 2.2
    assert max(measured["counters"]["scheme"]["series"]["special_queues_in_use"]) > 0
    assert "the forwarding tables do not lead from host 'H1'" in done.stderr or "has a link that is not active" in done.stderr


def test_a_scheme_of_one_vl_on_devices_of_two_is_refused_at_the_start(command: Command, tmp_path: Path) -> None:
    finished = command("emulate", isolating(tmp_path, "{scheme: ccfit, num_vls: 2}"), "--", "true")
    assert (finished.code, finished.err.count("\n")) == (2, 1)
    assert "model.scheme.name is 'ccfit', which carries 1 VL, and the fabric needs 2 (model.num_vls, " in finished.err
