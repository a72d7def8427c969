# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Periodic deletion of sessions that are over, of stored answers that nobody will ask for again, and of old nights."""

import threading

import structlog
from sqlalchemy.exc import SQLAlchemyError

from api import idempotency
from api.access import sessions
from api.database.engine import Database
from api.services.checks import history

_log = structlog.get_logger()

INTERVAL_S = 3600.0


class Housekeeping:
    """start() and stop() once each."""

    def __init__(self, database: Database, interval_s: float = INTERVAL_S) -> None:
        self._database, self._interval_s = database, interval_s
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ibcc-housekeeping", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join(10)

    def sweep(self) -> None:
        with self._database.writing() as session:
            sessions.sweep(session)
            idempotency.sweep(session)
            history.sweep(session)

    def _run(self) -> None:
        while not self._ending.wait(self._interval_s):
            try:
                self.sweep()
            except SQLAlchemyError as error:
                _log.warning("housekeeping.database", error=str(error).splitlines()[0])
