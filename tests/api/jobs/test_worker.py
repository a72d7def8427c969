# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The loop that runs jobs: how jobs end, and what becomes of them when their worker does."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from api.base.problems import Conflict
from api.base.times import now
from api.database.models.event import Event
from api.database.models.job import MAX_ATTEMPTS, Job
from api.jobs import lease
from api.queue.table import request_cancel
from tests.api.jobs.conftest import Jobs
from tests.api.jobs.kinds import Deaf
from tuner.errors import BadInputError


def lines(jobs: Jobs) -> list[str]:
    return (jobs.folder / "lines").read_text().split()


def cancel(jobs: Jobs, job_id: str) -> None:
    with jobs.database.writing() as session:
        job = session.get(Job, job_id, with_for_update=True)
        assert job is not None
        request_cancel(session, job)


def test_a_job_is_done_and_tells_how_far_it_is(jobs: Jobs) -> None:
    job_id = jobs.enqueue("steps")
    assert jobs.get(job_id).state == "queued"
    jobs.worker()
    job = jobs.ended(job_id)
    assert (job.state, job.result, job.problem) == ("done", {"steps": 3, "attempt": 1}, None)
    assert (job.progress_done, job.progress_total, job.progress_text) == (3, 3, "step 3")
    assert (job.worker, job.lease_until) == (None, None)
    assert job.started_at is not None
    assert lines(jobs) == ["0", "1", "2"]
    with jobs.database.reading() as session:
        told = [(event.topic, event.data["state"], event.data["progress"]["done"]) for event in session.scalars(select(Event))]
    assert told == [
        ("jobs", "queued", 0),
        ("jobs", "running", 0),
        *(("jobs", "running", n) for n in (1, 2, 3)),
        ("jobs", "done", 3),
    ]


def test_jobs_run_in_order_and_no_more_at_once_than_allowed(jobs: Jobs) -> None:
    first = jobs.enqueue("steps", pause_at=0, steps=1)
    second = jobs.enqueue("steps", steps=2)
    jobs.worker(slots=1)
    jobs.waiting(first)
    assert jobs.get(second).state == "queued"
    cancel(jobs, first)
    assert jobs.ended(first).state == "cancelled"
    assert jobs.ended(second).state == "done"


def test_an_urgent_job_does_not_wait_for_a_free_slot(jobs: Jobs) -> None:
    """As restoring a fabric's base beside campaigns that take hours."""
    long = jobs.enqueue("steps", pause_at=1)
    other = jobs.enqueue("steps")
    jobs.worker(slots=1)
    jobs.waiting(long)
    assert jobs.ended(jobs.enqueue("urgent")).state == "done"
    assert (jobs.get(long).state, jobs.get(other).state) == ("running", "queued")


def test_two_workers_do_not_take_the_same_job(jobs: Jobs) -> None:
    ids = [jobs.enqueue("steps", file=str(jobs.folder / f"{number}")) for number in range(8)]
    jobs.worker()
    jobs.worker()
    for number, job_id in enumerate(ids):
        assert jobs.ended(job_id).state == "done"
        assert (jobs.folder / f"{number}").read_text() == "0\n1\n2\n"
        assert jobs.get(job_id).attempts == 1


def test_a_failure_has_the_sentence_for_people(jobs: Jobs) -> None:
    job_id = jobs.enqueue("unreachable")
    jobs.worker()
    job = jobs.ended(job_id)
    assert (job.state, job.problem) == ("failed", "nobody answers at …/opensm.sock; start OpenSM with the plugin")


def test_a_bug_shows_nothing_of_the_inside_and_ends_no_worker(jobs: Jobs) -> None:
    broken, good = jobs.enqueue("bug"), jobs.enqueue("steps")
    jobs.worker(slots=1)
    job = jobs.ended(broken)
    assert job.state == "failed"
    assert job.problem is not None
    assert "bug of ibcc (ZeroDivisionError)" in job.problem
    assert "secret" not in job.problem
    assert jobs.ended(good).state == "done"


def test_cancelling(jobs: Jobs) -> None:
    running, queued = jobs.enqueue("steps", pause_at=1), jobs.enqueue("steps", pause_at=1)
    jobs.worker(slots=1)
    jobs.waiting(running)
    cancel(jobs, queued)
    assert jobs.get(queued).state == "cancelled"
    cancel(jobs, running)
    assert jobs.ended(running).state == "cancelled"
    assert lines(jobs) == ["0"]
    with pytest.raises(Conflict, match="is cancelled; to cancel it"):
        cancel(jobs, running)


def test_a_job_that_cannot_go_on_yet_waits_and_holds_up_nobody(jobs: Jobs) -> None:
    at = now() + timedelta(hours=1)
    late = jobs.enqueue("later", at=at.isoformat())
    jobs.worker(slots=1)
    waits = jobs.await_job(late, lambda job: job.not_before is not None)
    assert (waits.state, waits.worker, waits.not_before, waits.problem) == ("queued", None, at, None)
    assert jobs.ended(jobs.enqueue("steps")).state == "done"
    at = now()
    jobs.change(late, arguments=waits.arguments | {"at": at.isoformat()}, not_before=at)
    job = jobs.ended(late)
    assert (job.state, job.result, job.not_before) == ("done", {"attempt": 1}, None), "it was no fault of the job's"
    assert job.ended_at is not None
    assert job.ended_at >= at


def test_a_job_that_waits_can_be_cancelled(jobs: Jobs) -> None:
    late = jobs.enqueue("later", at=(now() + timedelta(hours=8)).isoformat())
    jobs.worker()
    jobs.await_job(late, lambda job: job.not_before is not None)
    cancel(jobs, late)
    assert jobs.get(late).state == "cancelled"


def test_a_worker_that_ends_puts_its_jobs_back(jobs: Jobs) -> None:
    job_id = jobs.enqueue("steps", pause_at=2)
    first = jobs.worker()
    jobs.waiting(job_id)
    first.stop()
    job = jobs.get(job_id)
    assert (job.state, job.worker, job.attempts) == ("queued", None, 0)
    jobs.change(job_id, attempts=1)  # so that it does not wait again
    jobs.worker()
    assert jobs.ended(job_id).state == "done"
    assert lines(jobs) == ["0", "1", "2"]


def test_a_job_that_is_taken_while_the_worker_is_told_to_end_goes_back_too(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that another thread of the worker has just put back."""
    taking, told = threading.Event(), threading.Event()
    take = lease.take

    def take_late(*arguments: Any, **options: Any) -> Job | None:
        taking.set()
        told.wait(60)
        return take(*arguments, **options)

    monkeypatch.setattr(lease, "take", take_late)
    job_id = jobs.enqueue("steps", pause_at=0)
    worker = jobs.worker()
    assert taking.wait(60)
    ending = threading.Thread(target=worker.stop)
    ending.start()
    while not worker._ending:
        ending.join(0.01)
    told.set()
    ending.join()
    assert not worker.loop.is_alive()
    job = jobs.get(job_id)
    assert (job.state, job.worker, job.attempts) == ("queued", None, 0)
    assert not (jobs.folder / "lines").exists()


def test_a_job_whose_lease_has_run_out_goes_on_elsewhere_and_the_first_worker_changes_nothing(jobs: Jobs) -> None:
    """A worker that was only slow, as on a machine that slept: it comes back and finds that the job is another's."""
    Deaf.released.clear()
    job_id = jobs.enqueue("deaf")
    first = jobs.worker()
    jobs.await_job(job_id, lambda job: job.worker == first.identity)
    with jobs.database.writing() as session:
        job = lease.own(session, first.identity, job_id)
        assert job is not None
        job.lease_until = now() - timedelta(seconds=1)
    with jobs.database.writing() as session:
        assert lease.recover(session) == 1
        taken = lease.take(session, "other|1|1|x", "both", 60)
        assert taken is not None
        assert taken.id == job_id
    Deaf.released.set()
    first.stop()
    job = jobs.get(job_id)
    assert (job.state, job.worker, job.result, job.attempts) == ("running", "other|1|1|x", None, 2)


def test_a_job_that_cannot_be_repeated_fails_when_its_worker_is_lost(jobs: Jobs) -> None:
    job_id = jobs.enqueue("once")
    jobs.change(job_id, state="running", worker="other|1|1|x", lease_until=now() - timedelta(seconds=1), attempts=1)
    jobs.worker()
    job = jobs.ended(job_id)
    assert job.state == "failed"
    assert job.problem is not None
    assert "Look at the fabric" in job.problem
    assert not (jobs.folder / "lines").exists()


def test_a_job_that_takes_its_workers_down_is_given_up(jobs: Jobs) -> None:
    job_id = jobs.enqueue("steps")
    jobs.change(job_id, state="running", worker="other|1|1|x", lease_until=now(), attempts=MAX_ATTEMPTS)
    jobs.worker()
    job = jobs.ended(job_id)
    assert (job.state, job.problem) == ("failed", "The worker that ran this job was lost 5 times; it is not retried.")


def test_a_lost_job_that_was_cancelled_is_not_run_again(jobs: Jobs) -> None:
    job_id = jobs.enqueue("steps")
    jobs.change(job_id, state="running", worker="other|1|1|x", lease_until=now(), cancel_requested=True)
    jobs.worker()
    job = jobs.ended(job_id)
    assert (job.state, job.exit_code) == ("cancelled", 5)
    assert "how far it came is unknown" in (job.problem or "")
    assert not (jobs.folder / "lines").exists()


def test_a_job_that_was_put_back_and_is_cancelled_then_says_that_it_had_begun(jobs: Jobs) -> None:
    begun, fresh = jobs.enqueue("steps"), jobs.enqueue("steps")
    jobs.change(begun, started_at=now())
    for job_id, exit_code in ((begun, 5), (fresh, None)):
        cancel(jobs, job_id)
        assert (jobs.get(job_id).state, jobs.get(job_id).exit_code) == ("cancelled", exit_code)


def test_what_cannot_be_undone_when_it_is_cancelled_is_told(jobs: Jobs) -> None:
    job_id = jobs.enqueue("stubborn")
    jobs.worker(slots=1)
    jobs.await_job(job_id, lambda job: job.state == "running")
    cancel(jobs, job_id)
    job = jobs.ended(job_id)
    assert (job.state, job.problem, job.exit_code) == ("cancelled", "it is out of reach", 3)


def test_a_lease_that_is_kept_is_respected(jobs: Jobs) -> None:
    job_id = jobs.enqueue("steps")
    jobs.change(job_id, state="running", worker="other|1|1|x", lease_until=now() + timedelta(hours=1))
    with jobs.database.writing() as session:
        assert lease.recover(session) == 0
        assert lease.take(session, "me", "both", 60) is None
    assert jobs.get(job_id).worker == "other|1|1|x"


def test_only_the_server_runs_what_only_it_can(jobs: Jobs) -> None:
    for_server, for_any = jobs.enqueue("server", file=str(jobs.folder / "s")), jobs.enqueue("steps")
    jobs.worker(place="any")
    assert jobs.ended(for_any).state == "done"
    assert jobs.get(for_server).state == "queued"
    jobs.worker(place="server")
    assert jobs.ended(for_server).state == "done"


def test_an_unknown_kind_is_refused_when_it_is_asked_for(jobs: Jobs) -> None:
    with pytest.raises(BadInputError, match="job kind 'test-nothing' is not known"):
        jobs.enqueue("nothing")
