# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Begins watches of the ports to hosts, where the setting host_watch_s asks for them. Every server has this thread: the row of an
inventory is locked while a watch of its fabric begins, so one of them begins it."""

import structlog
from sqlalchemy.exc import SQLAlchemyError

from api.access.principal import system
from api.base.periodic import Periodic
from api.base.problems import Problem
from api.database.engine import Database
from api.services.fabrics import get_fabric
from api.services.host_paths import SCHEDULE, due_watches, request_watch
from api.services.inventories import find_inventory

_log = structlog.get_logger()

INTERVAL_S = 30.0
WATCH_S = 10


class HostWatchScheduler(Periodic):
    """`every_s`: the setting; 0: it begins none."""

    def __init__(self, database: Database, every_s: int, interval_s: float = INTERVAL_S) -> None:
        super().__init__("host-watch-scheduler", self.tick, interval_s)
        self._database, self._every_s = database, every_s

    def tick(self) -> list[str]:
        """Returns the jobs that begin."""
        if not self._every_s:
            return []
        with self._database.reading() as session:
            names = due_watches(session, self._every_s)
        return [job for name in names if (job := self._begun(name)) is not None]

    def _begun(self, name: str) -> str | None:
        """None if hosts are in use; the next tick tries again. What is wrong with one fabric keeps no other from its watch."""
        try:
            with self._database.writing() as session:
                if find_inventory(session, name, locked=True) is None or name not in due_watches(session, self._every_s):
                    return None
                return request_watch(session, system(SCHEDULE), get_fabric(session, name), WATCH_S, test=True).id
        except Problem:
            return None
        except SQLAlchemyError:
            raise
        except Exception:
            _log.exception("host-watch.failed", fabric=name)
            return None
