# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The loop that runs jobs: in the server's process, or in `ibcc-worker`.

One thread looks after leases and looks for work; each job has a thread of its own. A job whose worker shuts down goes back into
the queue, and so does one whose worker is killed, when its lease has run out or its process is seen to be gone.
"""

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import structlog
from sqlalchemy.exc import SQLAlchemyError

from api.base.places import add_own_folder
from api.base.problems import BUG, Problem
from api.base.process_identity import own_identity
from api.base.supervised import Supervised
from api.base.times import now
from api.configuration.settings import Settings
from api.database.engine import Database
from api.database.models.job import Job
from api.jobs import lease
from api.jobs.placement import Place
from api.queue.context import JobContext, Postponed, Stopped
from api.queue.documents import publish_job
from api.queue.kind import KINDS, give_up
from api.states.jobs import GIVEN_UP
from tuner.errors import IbccError

_log = structlog.get_logger()

POLL_S = 0.5
"""Longest time that a job waits for a worker that is free and was not woken."""

STOPPED = "The job was stopped."

URGENT_SLOTS = 16
"""Maximum number of urgent jobs beside a worker's slots; each has a thread."""


@dataclass(eq=False)
class _Running:
    """A job that runs here. Implements `api.queue.context.Reasons`."""

    job_id: str
    stop: threading.Event = field(default_factory=threading.Event)
    cancelled: threading.Event = field(default_factory=threading.Event)
    lost: bool = False
    thread: threading.Thread | None = None


@dataclass(frozen=True, kw_only=True)
class _Ending:
    """End of a job's work: with a result, if there is no problem."""

    result: dict[str, Any] | None = None
    problem: str | None = None
    exit_code: int | None = None


class Worker:
    """Runs jobs of its `place`, at most `slots` at once, and URGENT_SLOTS urgent ones beside them. start() and stop()
    may be called once each."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        *,
        slots: int,
        place: Place,
        poll_s: float = POLL_S,
    ) -> None:
        self._database, self._settings, self._slots, self._poll_s = database, settings, slots, poll_s
        self._place = place
        add_own_folder(settings.state_folder)
        self.identity = own_identity()
        self._running: set[_Running] = set()
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._ending = False
        self.loop = Supervised("jobs", self._run)

    def start(self) -> None:
        self.loop.start()

    def stop(self, timeout_s: float = 30.0) -> None:
        """Asks all jobs to end, puts them back into the queue, and returns when they have, or after that time."""
        with self._lock:
            self._ending = True
            running = list(self._running)
        for one in running:
            one.stop.set()
        self._wake.set()
        self.loop.end()
        for running_job in running:
            if running_job.thread is not None:
                running_job.thread.join(timeout_s)
        self.loop.join(timeout_s)

    def _run(self) -> None:
        beat_s = self._settings.lease_s / 3
        next_beat = next_recovery = 0.0
        while not self._ending or self._running:
            try:
                if time.monotonic() >= next_beat:
                    next_beat = time.monotonic() + min(beat_s, 1.0)
                    self._beat()
                if time.monotonic() >= next_recovery and not self._ending:
                    next_recovery = time.monotonic() + min(beat_s, 5.0)
                    with self._database.writing() as session:
                        lease.recover(session)
                while not self._ending and len(self._running) < self._slots + URGENT_SLOTS:
                    if not self._take(urgent=len(self._running) >= self._slots):
                        break
            except SQLAlchemyError as error:  # it may come back; the leases tell others meanwhile
                _log.warning("jobs.database", error=str(error).splitlines()[0])
            self._wake.wait(self._poll_s)
            self._wake.clear()

    def _beat(self) -> None:
        with self._lock:
            running = list(self._running)
        if not running:
            return
        with self._database.writing(durable=False) as session:
            answers = {job: lease.beat(session, self.identity, job.job_id, self._settings.lease_s) for job in running}
        for job, answer in answers.items():
            if answer == "cancelled":
                job.cancelled.set()
                job.stop.set()
            elif answer == "lost":
                job.lost = True
                job.stop.set()

    def _take(self, *, urgent: bool) -> bool:
        with self._database.reading() as session:  # most looks find nothing, and need not hold up who writes
            if lease.waiting(session, self._place, urgent=urgent) is None:
                return False
        with self._database.writing() as session:
            job = lease.take(session, self.identity, self._place, self._settings.lease_s, urgent=urgent)
        if job is None:
            return False
        one = _Running(job.id)
        one.thread = threading.Thread(target=self._work, args=(one, job), name=f"ibcc-job-{job.kind}", daemon=True)
        with self._lock:
            if not self._ending:
                self._running.add(one)
                one.thread.start()
                return True
        one.stop.set()  # stop() came meanwhile and has not seen it
        self._settle(one, _Ending(problem=STOPPED), _log.bind(job=job.id, kind=job.kind))
        return False

    def _work(self, one: _Running, job: Job) -> None:
        context = JobContext(self._database, self._settings, job.id, job.attempts, one, self.identity)
        log = _log.bind(job=job.id, kind=job.kind)
        log.info("job.started", attempt=job.attempts)
        ending: _Ending | None = _Ending(problem=STOPPED)
        try:
            ending = _Ending(result=KINDS.get(job.kind).run(context, job.arguments))
        except (IbccError, Problem) as error:
            ending = _Ending(problem=str(error), exit_code=error.exit_code)
        except Stopped:
            pass
        except Postponed:
            ending = None
            log.info("job.postponed")
        except Exception as error:
            if not one.stop.is_set():
                log.exception("job.bug")
            sentence = f"This is a bug of ibcc ({type(error).__name__}); the server's log has the details. Please report it."
            ending = _Ending(problem=sentence, exit_code=BUG)
        finally:
            with self._forgotten(one):
                if ending is not None:
                    self._settle(one, ending, log)

    @contextlib.contextmanager
    def _forgotten(self, one: _Running) -> Iterator[None]:
        try:
            yield
        finally:
            with self._lock:
                self._running.discard(one)
            self._wake.set()

    def _settle(self, one: _Running, ending: _Ending, log: structlog.stdlib.BoundLogger) -> None:
        """Stores how the job ended, if it is still ours."""
        with self._database.writing() as session:
            job = lease.own(session, self.identity, one.job_id)
            if job is None:
                log.warning("job.lost")
                return
            if ending.problem is None:
                job.state, job.result = "done", ending.result
            elif one.cancelled.is_set() or job.cancel_requested:
                job.state = "cancelled"
                if ending.exit_code is not None:  # it could not be undone
                    job.problem, job.exit_code = ending.problem, ending.exit_code
            elif one.stop.is_set():
                lease.release(job)
                job.attempts -= 1  # it was no fault of the job's
            else:
                job.state, job.problem, job.exit_code = "failed", ending.problem, ending.exit_code
            if job.state != "queued":
                job.ended_at, job.lease_until, job.worker = now(), None, None
            if job.state in GIVEN_UP:
                give_up(session, job)
            publish_job(session, job)
            log.info("job.ended", state=job.state, problem=job.problem)
