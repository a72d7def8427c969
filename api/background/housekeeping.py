# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Periodic deletion of sessions that are over, of stored answers that nobody will ask for again, of old nights, of imports
that nobody has kept, of old tests inside hosts, and of old deliveries."""

from api.access import sessions
from api.base.periodic import Periodic
from api.base.times import now
from api.database.engine import Database
from api.http import idempotency
from api.notifiers import deliveries
from api.services import fabric_imports, host_paths
from api.services.checks import history

INTERVAL_S = 3600.0


class Housekeeping(Periodic):
    """`deliveries_kept_s`: seconds for which deliveries are kept after their end."""

    def __init__(self, database: Database, deliveries_kept_s: float, interval_s: float = INTERVAL_S) -> None:
        super().__init__("housekeeping", self.sweep, interval_s)
        self._database, self._deliveries_kept_s = database, deliveries_kept_s

    def sweep(self) -> None:
        with self._database.writing() as session:
            sessions.sweep(session)
            idempotency.sweep(session)
            history.sweep(session)
            fabric_imports.sweep(session)
            host_paths.sweep(session)
            deliveries.sweep(session, now(), self._deliveries_kept_s)
