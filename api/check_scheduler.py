# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Begins the nights of checks by their schedules. Every server has this thread: the row of a check is locked while its agenda is
done, and a night's date is its key, so one of them begins a night."""

import threading
from collections.abc import Callable
from datetime import datetime

import structlog
from sqlalchemy.exc import SQLAlchemyError

from api.database.engine import Database
from api.services.checks.nights import has_agenda, run_agenda, scheduled_checks
from api.times import now

_log = structlog.get_logger()

INTERVAL_S = 10.0


class CheckScheduler:
    """start() and stop() once each. `clock`: the present."""

    def __init__(self, database: Database, interval_s: float = INTERVAL_S, clock: Callable[[], datetime] = now) -> None:
        self._database, self._interval_s, self._clock = database, interval_s, clock
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ibcc-check-scheduler", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join(10)

    def tick(self) -> list[str]:
        """Does what all schedules say for this moment. Returns the jobs that begin."""
        moment, begun = self._clock(), []
        with self._database.reading() as session:
            names = [name for name in scheduled_checks(session) if has_agenda(session, name, moment)]
        for name in names:
            with self._database.writing() as session:
                job = run_agenda(session, name, moment)
            if job is not None:
                begun.append(job.id)
                _log.info("check.begun", check=name, job=job.id)
        return begun

    def _run(self) -> None:
        while not self._ending.wait(self._interval_s):
            try:
                self.tick()
            except SQLAlchemyError as error:
                _log.warning("check.scheduler.database", error=str(error).splitlines()[0])
            except Exception:  # other nights must not wait for what is wrong with one
                _log.exception("check.scheduler.bug")
