# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Nothing that was started stays, whichever way the process that started it ends."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tuner.opensm.guard import guarded_folder

STARTER = """
import signal, subprocess, sys, time
from tuner.opensm.guard import guarded_folder
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup has it ignored
with guarded_folder("ibcc-test-guard-") as guard:
    (guard.folder / "left").write_text("behind")
    program = subprocess.Popen(["sleep", "1000"])
    guard.kills(program.pid)
    for word in sys.argv[1:]:
        getattr(guard, word)()
    print(guard.folder, program.pid, flush=True)
    time.sleep(1000)
"""


STARTS_IT = """
import subprocess, sys
from tuner.opensm.guard import guarded_folder
with guarded_folder("ibcc-test-guard-") as guard:
    print(guard.folder, flush=True)
    sys.stdin.readline()
    started = subprocess.Popen(guard.telling(["sleep", sys.argv[1]]), stdin=guard.pipe)
    sys.stdin.readline()
"""


def of_command(command: list[str]) -> list[int]:
    """Returns the processes that run it."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if place.read_bytes().split(b"\0")[:-1] == [word.encode() for word in command]:
                found.append(int(place.parent.name))
        except OSError:
            continue
    return found


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def await_that(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_a_starter_that_is_killed_leaves_neither_program_nor_folder(number: int) -> None:
    with subprocess.Popen([sys.executable, "-c", STARTER], stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout is not None
        place, pid = starter.stdout.readline().split()
        assert (Path(place) / "left").exists()
        os.kill(starter.pid, number)
        await_that(lambda: not is_alive(int(pid)))
        await_that(lambda: not Path(place).exists())


@pytest.mark.parametrize("late_s", [0.0, 0.02])
def test_a_starter_that_is_killed_while_it_starts_the_program_leaves_nothing(late_s: float) -> None:
    seconds = f"1000.{os.getpid()}{round(100 * late_s)}"
    command = [sys.executable, "-c", STARTS_IT, seconds]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout is not None
        assert starter.stdin is not None
        place = starter.stdout.readline().strip()
        starter.stdin.write("\n")
        starter.stdin.flush()
        time.sleep(late_s)  # it hopes for nothing: it is killed earlier or later
        starter.kill()
    await_that(lambda: not Path(place).exists())
    await_that(lambda: not of_command(["sleep", seconds]))


def test_a_folder_that_is_kept_stays_for_who_looks_at_it() -> None:
    with subprocess.Popen([sys.executable, "-c", STARTER, "keeps_folder"], stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout is not None
        place, pid = starter.stdout.readline().split()
        starter.kill()
        await_that(lambda: not is_alive(int(pid)))
    assert (Path(place) / "left").read_text() == "behind"
    (Path(place) / "left").unlink()
    Path(place).rmdir()


def test_at_its_end_the_folder_is_gone_and_a_program_that_has_ended_is_left_alone() -> None:
    with subprocess.Popen(["sleep", "1000"]) as program:
        with guarded_folder("ibcc-test-guard-") as guard:
            guard.kills(program.pid)
            guard.kills(None)
        assert not guard.folder.exists()
        assert program.poll() is None
        program.kill()
