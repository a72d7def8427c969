# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Readings of all fabrics for metrics: taken when somebody asks, at most every READ_S seconds, and never waited for long."""

import threading
import time
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

import structlog
from sqlalchemy import select

from api.database.engine import Database
from api.database.models.fabric import Fabric
from api.fabric_drivers.base import FabricState
from api.services import fabric_access
from api.services.congestion_documents import congestion_shares
from tuner.errors import IbccError

_log = structlog.get_logger()

READ_S = 10.0
PATIENCE_S = 2.0
"""Longest time that one who asks waits; a fabric that responds later is in the next answer."""
MOST_FABRICS = 200
"""Fabrics that are read, the first by name, so that metrics stay bounded."""
_AT_ONCE = 4


@dataclass(frozen=True)
class Reading:
    """Answer of one fabric. `state` None: it is unreachable."""

    fabric: str
    at_s: float
    """Seconds since 1970."""
    state: FabricState | None = None
    congestion: tuple[float, ...] = field(default=())
    """Share of readings with congestion of each device that was read, 0 to 1."""


class FabricReadings:
    """For all threads. `close()` once."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="ibcc-readings")
        self._lock = threading.Lock()
        self._latest: dict[str, Reading] = {}
        self._running: dict[str, Future[None]] = {}
        self._began_s = float("-inf")

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def latest(self) -> list[Reading]:
        """Returns the newest reading of each fabric, by name. Raises SQLAlchemyError."""
        with self._lock:
            if time.monotonic() - self._began_s >= READ_S:
                self._began_s = time.monotonic()
                self._begin()
            running = list(self._running.values())
        wait(running, PATIENCE_S)
        with self._lock:
            return [self._latest[name] for name in sorted(self._latest)]

    def _begin(self) -> None:
        with self._database.reading() as session:
            fabrics = list(session.scalars(select(Fabric).order_by(Fabric.name).limit(MOST_FABRICS)))
        self._keep_only(fabric.name for fabric in fabrics)
        for fabric in fabrics:
            if fabric.name not in self._running:  # one that hangs is not asked again
                self._running[fabric.name] = self._pool.submit(self._read, fabric)

    def _keep_only(self, names: Iterable[str]) -> None:
        kept = set(names)
        self._latest = {name: one for name, one in self._latest.items() if name in kept}

    def _read(self, fabric: Fabric) -> None:
        try:
            reading = self._reading(fabric)
        except Exception:  # one fabric must not hide the others
            _log.exception("readings.bug", fabric=fabric.name)
            reading = Reading(fabric.name, time.time())
        with self._lock:
            del self._running[fabric.name]
            self._latest[fabric.name] = reading

    def _reading(self, fabric: Fabric) -> Reading:
        try:
            with fabric_access.connected(self._database, fabric) as driver:
                state = driver.state()
                congestion = congestion_shares(driver, fabric)
        except IbccError:
            return Reading(fabric.name, time.time())
        return Reading(fabric.name, time.time(), state, tuple(congestion))
