# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Begins the nights of checks by their schedules. Every server has this thread: the row of a check is locked while its agenda is
done, and a night's date is its key, so one of them begins a night."""

from collections.abc import Callable
from datetime import datetime

import structlog
from sqlalchemy.exc import SQLAlchemyError

from api.base.periodic import Periodic
from api.base.times import now
from api.database.engine import Database
from api.services.checks.nights import has_agenda, run_agenda, scheduled_checks

_log = structlog.get_logger()

INTERVAL_S = 10.0


class CheckScheduler(Periodic):
    """`clock`: the present."""

    def __init__(self, database: Database, interval_s: float = INTERVAL_S, clock: Callable[[], datetime] = now) -> None:
        super().__init__("check-scheduler", self.tick, interval_s)
        self._database, self._clock = database, clock

    def tick(self) -> list[str]:
        """Does what all schedules say for this moment. Returns the jobs that begin."""
        moment = self._clock()
        with self._database.reading() as session:
            names = scheduled_checks(session)
        jobs = [self._begun(name, moment) for name in names]
        return [job for job in jobs if job is not None]

    def _begun(self, name: str, moment: datetime) -> str | None:
        """Returns the job, if one begins. What is wrong with one check is logged, and must not keep the others from theirs."""
        try:
            with self._database.reading() as session:
                if not has_agenda(session, name, moment):
                    return None
            with self._database.writing() as session:
                job = run_agenda(session, name, moment)
        except SQLAlchemyError:
            raise
        except Exception:
            _log.exception("check.schedule.failed", check=name)
            return None
        if job is None:
            return None
        _log.info("check.begun", check=name, job=job.id)
        return job.id
