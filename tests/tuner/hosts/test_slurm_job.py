# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests of a job's holder with programs that answer in Slurm's place. tests/tuner/checks/test_slurm_hosts.py has a real
Slurm."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tuner.documents.check_hosts import SlurmJob
from tuner.errors import UnreachableError
from tuner.hosts import slurm_job
from tuner.hosts.slurm_job import HeldJob, free_states, is_off, node_reports, node_states, submission

OPTIONS = SlurmJob(partition="checks", account="staff", wait_s=1)
FILES = {
    "sbatch": 'cat > "$0.script"; echo "7;cluster"',
    "squeue": 'test -e "$0.silent" && { echo "squeue: error: no controller" >&2; exit 1; }; cat "$0.says"',
    "scancel": 'echo "$@" >> "$0.calls"; [ "$2" != 7 ] || echo "CANCELLED|" > "${0%/*}/squeue.says"',
    "sinfo": 'cat "$0.says"',
}
NODES = """\
n1|idle|none
n2|mixed|(null)
n3|idle*|Not  responding
n4|idle|none
n1|idle|none
n5|reserved|swap | by ann
"""


class FakeSlurm:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, text in FILES.items():
            (folder / name).write_text(f"#!/bin/sh\n{text}\n")
            (folder / name).chmod(0o755)
        (folder / "sinfo.says").write_text(NODES)
        self.says("RUNNING", "None")

    def says(self, state: str, reason: str = "") -> None:
        new = self.folder / "squeue.new"
        new.write_text(f"{state}|{reason}\n")
        new.replace(self.folder / "squeue.says")

    def is_silent(self) -> None:
        (self.folder / "squeue.silent").touch()

    @property
    def calls(self) -> list[str]:
        file = self.folder / "scancel.calls"
        return file.read_text().splitlines() if file.exists() else []


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeSlurm:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    for name, value in {"BEAT_S": 0.1, "POLL_S": 0.05, "PATIENCE_S": 0.5, "_ENDING_S": 0.5}.items():
        monkeypatch.setattr(slurm_job, name, value)
    return FakeSlurm(tmp_path)


def wait_until(is_so: Callable[[], bool]) -> None:
    until_s = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < until_s
        time.sleep(0.02)


def held() -> HeldJob:
    return HeldJob(OPTIONS, ["n1", "n2"], name="j", limit_s=90)


def test_the_job_is_asked_for_as_told() -> None:
    words = submission(OPTIONS, ["n1", "n2", "n4"], name="ibcc-check-site", limit_s=90)
    assert words[0] == "sbatch"
    assert {"--partition=checks", "--account=staff", "--nice=2147483645", "--nodelist=n[1-2,4]", "--nodes=3"} < set(words)
    assert {"--time=2", "--deadline=now+151seconds", "--no-requeue", "--exclusive"} < set(words)
    assert not [word for word in words if word.startswith(("--qos", "--reservation"))]


def test_only_nodes_that_are_idle_and_respond_count(slurm: FakeSlurm) -> None:
    def free(options: SlurmJob) -> list[str]:
        return [node for node, state in node_states(options).items() if state in free_states(options)]

    assert free(OPTIONS) == ["n1", "n4"]
    assert free(OPTIONS.model_copy(update={"reservation": "night"})) == ["n1", "n4", "n5"]
    (slurm.folder / "sinfo.says").write_text("")
    with pytest.raises(UnreachableError, match="^Slurm has no nodes in a partition 'checks'$"):
        node_states(OPTIONS)


def test_the_reason_that_somebody_gave_for_a_node_comes_with_its_state(slurm: FakeSlurm) -> None:
    assert node_reports(OPTIONS) == {
        "n1": ("idle", ""),
        "n2": ("mixed", ""),
        "n3": ("idle*", "Not responding"),
        "n4": ("idle", ""),
        "n5": ("reserved", "swap | by ann"),
    }


def test_a_job_is_held_by_signals_and_cancelled_in_the_end(slurm: FakeSlurm) -> None:
    job = held()
    job.start()
    assert job.id == 7
    assert "trap" in (slurm.folder / "sbatch.script").read_text()
    wait_until(lambda: slurm.calls.count("--quiet --batch --signal=URG 7") >= 2)
    assert job.lost() is None
    job.release()
    assert slurm.calls[-1] == "--quiet 7"
    count = len(slurm.calls)
    job.release()
    time.sleep(0.3)  # a call more would have come by then
    assert len(slurm.calls) == count


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ("PREEMPTED", "job 7 on n[1-2] was preempted: Slurm has given its nodes to a job of higher priority"),
        ("SUSPENDED", "job 7 on n[1-2] was suspended: Slurm has given its nodes to a job of higher priority"),
        ("TIMEOUT", "job 7 on n[1-2] reached its time limit"),
        ("COMPLETED", "job 7 on n[1-2] has ended (completed)"),
    ],
)
def test_a_job_that_does_not_run_any_more_is_lost(state: str, sentence: str, slurm: FakeSlurm) -> None:
    job = held()
    job.start()
    slurm.says(state)
    wait_until(lambda: job.lost() is not None)
    assert job.lost() == job.look() == sentence
    job.release()


def test_a_job_whose_end_is_under_way_gets_its_reason_later(slurm: FakeSlurm) -> None:
    job = held()
    job.start()
    slurm.says("COMPLETING")
    wait_until(lambda: job.lost() is not None)
    slurm.says("PREEMPTED")
    assert "was preempted" in (job.look() or "")
    job.release()


def test_a_slurm_that_is_silent_for_long_has_ended_the_job(slurm: FakeSlurm) -> None:
    job = held()
    job.start()
    slurm.is_silent()
    assert job.look() is None
    wait_until(lambda: job.lost() is not None)
    assert "Slurm has not responded for" in (job.lost() or "")
    job.release()


def test_a_job_that_does_not_start_in_time_is_withdrawn(slurm: FakeSlurm) -> None:
    slurm.says("PENDING", "Resources")
    sentence = r"has not started job 7 on n\[1-2\] within 1 s \(Resources\); the job was withdrawn"
    with pytest.raises(UnreachableError, match=sentence):
        held().start()
    assert slurm.calls == ["--quiet 7"]


def test_a_job_that_ends_before_it_runs_says_why(slurm: FakeSlurm) -> None:
    slurm.says("DEADLINE")
    with pytest.raises(UnreachableError, match="was not started in time"):
        held().start()


def test_an_answer_that_is_no_number_is_quoted(slurm: FakeSlurm) -> None:
    (slurm.folder / "sbatch").write_text("#!/bin/sh\necho hello\n")
    with pytest.raises(UnreachableError, match="sbatch answered 'hello', which is no number of a job"):
        held().start()
    (slurm.folder / "sbatch").write_text("#!/bin/sh\necho 'sbatch: error: no such account' >&2; exit 1\n")
    with pytest.raises(UnreachableError, match="^sbatch failed: no such account$"):
        held().start()


@pytest.mark.parametrize(
    ("state", "off"),
    [
        *(
            (state, True)
            for state in ("drained", "drained*", "down*", "idle~", "allocated#", "mixed!", "idle%", "idle$", "idle*~", "idle^")
        ),
        *((state, False) for state in ("idle", "allocated", "mixed-", "idle*", "idle@", "allocated+", "completing")),
    ],
)
def test_nodes_that_slurm_has_powered_off_are_off(state: str, off: bool) -> None:
    """sinfo says it by a mark behind the state: with power saving, idle hosts are off each night."""
    assert is_off(state) is off
