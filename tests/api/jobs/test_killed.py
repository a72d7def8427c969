# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`kill -9` of `ibcc-worker` in the middle of a job, and another one started: the job goes on where it was."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.api.jobs.conftest import Jobs

ROOT = Path(__file__).resolve().parents[3]


@contextmanager
def worker(jobs: Jobs) -> Iterator[subprocess.Popen[str]]:
    environment = os.environ | {
        "IBCC_DATABASE_URL": jobs.database.engine.url.render_as_string(hide_password=False).replace("+psycopg", ""),
        "IBCC_STATE_FOLDER": str(jobs.folder),
        "PYTHONPATH": str(ROOT),
        "IBCC_LEASE_S": "3600",  # so that only the process's absence can tell
    }
    command = [sys.executable, "-m", "tests.api.jobs.worker_program", "--slots", "2"]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        assert "takes jobs of" in process.stderr.readline()
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.long
@pytest.mark.parametrize("database_url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True)
def test_a_killed_worker_loses_nothing(jobs: Jobs) -> None:
    job_id, other_id = (
        jobs.enqueue("steps", pause_at=2, steps=5),
        jobs.enqueue("once", pause_at=0, file=str(jobs.folder / "once")),
    )
    with worker(jobs) as first:
        jobs.waiting(job_id)
        jobs.waiting(other_id)
        first.kill()
        first.wait()
    assert jobs.get(job_id).state == "running"  # as far as anybody knows
    with worker(jobs) as second:
        job = jobs.ended(job_id)
        assert (job.state, job.result) == ("done", {"steps": 5, "attempt": 2})
        assert (jobs.folder / "lines").read_text() == "0\n1\n2\n3\n4\n"
        assert jobs.ended(other_id).state == "failed"
        assert not (jobs.folder / "once").exists()
        second.send_signal(signal.SIGTERM)
        assert second.wait(30) == 0


@pytest.mark.long
@pytest.mark.parametrize("database_url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True)
def test_sigterm_puts_jobs_back(jobs: Jobs) -> None:
    job_id = jobs.enqueue("steps", pause_at=1)
    with worker(jobs) as process:
        jobs.waiting(job_id)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    job = jobs.get(job_id)
    assert (job.state, job.worker, job.attempts) == ("queued", None, 0)
