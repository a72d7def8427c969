# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Steps are timed, what they print goes where it would go without, and their exit codes are theirs."""

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
    (_, idle_s, idle_cpu_s, _), (_, _, busy_cpu_s, _) = rows(tmp_path)
    assert int(idle_s) >= 1
    assert int(idle_cpu_s) == 0
    assert int(busy_cpu_s) >= 1
