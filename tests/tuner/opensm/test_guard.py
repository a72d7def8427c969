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
import subprocess, sys, time
from tuner.opensm.guard import guarded_folder
with guarded_folder("ibcc-test-guard-") as guard:
    (guard.folder / "left").write_text("behind")
    program = subprocess.Popen(["sleep", "1000"])
    guard.kills(program.pid)
    for word in sys.argv[1:]:
        getattr(guard, word)()
    print(guard.folder, program.pid, flush=True)
    time.sleep(1000)
"""


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


STARTED = """
import os, subprocess, sys
from tuner.opensm.guard import guarded_folder
with guarded_folder("ibcc-test-guard-") as guard:
    command, stdin = guard.started(["sh", "-c", "echo $$; exec sleep 1000"])
    program = subprocess.Popen(command, stdin=stdin)
    sys.stdin.read()
"""


def test_a_program_is_guarded_before_its_starter_knows_of_it() -> None:
    with subprocess.Popen([sys.executable, "-c", STARTED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout is not None
        pid = int(starter.stdout.readline())
        starter.kill()
        await_that(lambda: not is_alive(pid))


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
