# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Steps are timed, what they print goes where it would go without, and their exit codes are theirs."""

import os
import select
import subprocess
from pathlib import Path

import pytest


def bash(root: Path, folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", "-euo", "pipefail", "-c", f". {root}/build_tools/steps.sh; steps_begin x; {script}"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def rows(folder: Path) -> list[list[str]]:
    return [line.split("\t") for line in (folder / "build/steps/x.tsv").read_text().splitlines()]


def test_a_step_prints_as_it_would_alone_and_is_written_down(root: Path, tmp_path: Path) -> None:
    done = bash(root, tmp_path, "step One bash -c 'echo out; echo err >&2'")
    assert (done.returncode, done.stdout, done.stderr) == (0, "\n== One\nout\n", "err\n")
    assert [row[0] for row in rows(tmp_path)] == ["One"]


def test_a_step_that_fails_ends_the_script_with_its_code(root: Path, tmp_path: Path) -> None:
    done = bash(root, tmp_path, "trap steps_summary EXIT; step One bash -c 'exit 3'; echo not reached")
    assert done.returncode == 3
    assert "not reached" not in done.stdout
    assert [row[3] for row in rows(tmp_path)] == ["3"]
    assert "failed" in done.stdout


@pytest.mark.long
def test_cpu_is_counted_of_all_that_a_step_waited_for(root: Path, tmp_path: Path) -> None:
    busy = "python3 -c 'import time\nwhile time.process_time() < 1.2: pass'"
    bash(root, tmp_path, f'step Idle sleep 1; step Busy bash -c "{busy}"')
    (_, idle_s, idle_cpu_s, *_), (_, _, busy_cpu_s, *_) = rows(tmp_path)
    assert int(idle_s) >= 1
    assert int(idle_cpu_s) == 0
    assert int(busy_cpu_s) >= 1


def test_a_step_beside_the_others_is_written_down_with_its_code(root: Path, tmp_path: Path) -> None:
    script = "steps_beside step Beside bash -c 'until [ -e seen ]; do sleep 0.01; done; echo out; exit 3'"
    done = bash(root, tmp_path, f"{script}; step Next touch seen; steps_wait || echo code $?; step Last true; steps_summary")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\nout\ncode 3\n" in done.stdout
    assert {row[0]: row[3:] for row in rows(tmp_path)} == {"Next": ["0", "0"], "Beside": ["3", "1"], "Last": ["0", "0"]}
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("Beside"))
    assert line.endswith("failed  beside the others")


def test_a_function_of_steps_beside_the_others_says_which_failed(root: Path, tmp_path: Path) -> None:
    function = "beside() { step Good true; step Bad bash -c 'exit 3' || true; return 0; }"
    script = f"{function}; steps_beside beside; step Next true; steps_wait"
    asked = "; ".join(f"step_failed {title} && echo {title} failed" for title in ("Good", "Bad", "Next", "Absent"))
    done = bash(root, tmp_path, f"{script}; {asked}; true")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line for line in done.stdout.splitlines() if line.endswith(" failed")] == ["Bad failed"]
    assert {row[0]: row[4] for row in rows(tmp_path)} == {"Good": "1", "Bad": "1", "Next": "0"}


def test_a_step_beside_the_others_ends_with_the_script(root: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "held")
    reader = os.open(tmp_path / "held", os.O_RDONLY | os.O_NONBLOCK)
    beside = "steps_beside step Beside sh -c 'exec 9>held; touch begun; sleep 600; true'"
    done = bash(root, tmp_path, f"{beside}; step Failing bash -c 'until [ -e begun ]; do sleep 0.01; done; exit 4'")
    assert done.returncode == 4
    select.select([reader], [], [], 60)
    assert os.read(reader, 1) == b""  # the end of the file: no process holds the other end
    os.close(reader)
