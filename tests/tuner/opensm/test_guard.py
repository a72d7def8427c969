# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Nothing that was started stays, whichever process is killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tuner.opensm import guard

STARTER = """
import subprocess, sys, time
command = [sys.executable, "-I", "-S", sys.argv[1], *sys.argv[2:]]
guarded = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
print(guarded.pid, flush=True)
time.sleep(1000)
"""
PROGRAM = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(1000)"


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def await_gone(pid: int) -> None:
    until = time.monotonic() + 30
    while is_alive(pid):
        assert time.monotonic() < until, f"process {pid} is still there"
        time.sleep(0.01)


def await_pid(file: Path) -> int:
    until = time.monotonic() + 30
    while not file.exists() or not file.read_text():
        assert time.monotonic() < until
        time.sleep(0.01)
    return int(file.read_text())


@pytest.mark.parametrize("who", ["starter", "guard"])
def test_the_program_ends_when_either_is_killed(tmp_path: Path, who: str) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "left").write_text("behind")
    pid_file = tmp_path / "pid"
    words = [sys.executable, "-c", STARTER, guard.__file__, str(folder), sys.executable, "-I", "-S", "-c", PROGRAM, str(pid_file)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout is not None
        guarded, program = int(starter.stdout.readline()), await_pid(pid_file)
        os.kill(starter.pid if who == "starter" else guarded, signal.SIGKILL)
        await_gone(program)
        if who == "starter":
            await_gone(guarded)
            assert not folder.exists()
        starter.kill()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["sh", "-c", "exit 7"], 7),
        (["sh", "-c", "kill -ABRT $$"], -signal.SIGABRT),
        (["sh", "-c", "kill -KILL $$"], -signal.SIGKILL),
        (["/nowhere/opensm"], 127),
    ],
)
def test_its_exit_status_is_the_programs(tmp_path: Path, words: list[str], code: int) -> None:
    command = [sys.executable, "-I", "-S", guard.__file__, str(tmp_path / "work"), *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.wait(30) == code


def test_sigterm_and_the_environment_are_passed_on(tmp_path: Path) -> None:
    script = "trap 'exit 5' TERM; echo \"$LD_PRELOAD:$IBCC_GUARDED_PRELOAD\"; while :; do sleep 0.01; done"
    command = [sys.executable, "-I", "-S", guard.__file__, str(tmp_path / "work"), "bash", "-c", script]
    environment = {**os.environ, guard.PRELOAD: "libc.so.6"}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "libc.so.6:\n"
        process.terminate()
        assert process.wait(30) == 5
