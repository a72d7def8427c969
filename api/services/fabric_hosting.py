# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Keeps the emulated fabrics of the table running, in the server's process: those that are added start, those that are deleted or
get other options end. The table is looked at, not told about, so that it does not matter who changed it."""

import hashlib
import json
import threading
import time
from collections.abc import Mapping
from typing import Any

import structlog
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from api.access.principal import system
from api.base.places import without_paths
from api.base.supervised import Supervised
from api.database.engine import Database
from api.database.models.fabric import Fabric, FabricRecord
from api.fabric_drivers.emulated import STARTING
from api.fabric_drivers.hosting import HostedFabrics
from api.fabric_drivers.registry import FABRIC_KINDS, FabricSpec
from api.services.fabric_access import publish_change, spec_of
from api.services.fabrics import ensure_default

_log = structlog.get_logger()

LOOK_S = 1.0
MOST_DEATHS = 5
DEATHS_S = 600.0
"""A fabric that dies that often within that time is not started again."""


class FabricHosting:
    """start() and stop() may be called once each."""

    def __init__(self, database: Database, look_s: float = LOOK_S) -> None:
        self._database, self._look_s = database, look_s
        self._hosted = HostedFabrics(self._record)
        self._running: dict[str, str] = {}
        """Digest of the options that each fabric was started with, by the fabric's name."""
        self._deaths = dict[str, list[float]]()
        """Moments, by the monotonic clock, at which a fabric or its OpenSM has died lately."""
        self._ending = threading.Event()
        self.loop = Supervised("emulated fabrics", self._run)

    def start(self) -> None:
        """Makes the default fabric if there is none yet. The fabrics of this server are starting when it returns, whatever a
        server that was killed has left in the table."""
        with self._database.writing() as session:
            ensure_default(session, system("first start"))
            for row in session.scalars(select(Fabric).where(Fabric.kind.in_(_hosted_kinds()))).unique():
                row.record.runtime = {"problem": STARTING}
        self.loop.start()

    def stop(self) -> None:
        """Ends OpenSM and the fabrics, which put their base back first."""
        self._ending.set()
        self.loop.end()
        self.loop.join()
        self._hosted.close()

    def _run(self) -> None:
        while not self._ending.is_set():
            try:
                self._look()
            except SQLAlchemyError as error:
                _log.warning("fabrics.database", error=str(error).splitlines()[0])
            self._ending.wait(self._look_s)

    def _look(self) -> None:
        with self._database.reading() as session:
            rows = session.scalars(select(Fabric).where(Fabric.kind.in_(_hosted_kinds()))).unique()
            wanted = {row.name: (spec_of(row), row.record.base) for row in rows}
        for name in self._hosted.ended():
            _log.error("fabric.ended", fabric=name)
            self._hosted.stop(name)  # clears what it has left
            if self._dies_too_often(name):
                problem = f"it has died {MOST_DEATHS} times within {DEATHS_S / 60:.0f} min and is not started again"
                self._record(name, {"problem": f"{problem}; restart the service, or change the fabric"}, outcome="failed")
                continue
            self._record(name, {"problem": "it has died and starts again with the base profile"}, outcome="died")
            self._running.pop(name, None)
        for name in [name for name in self._running if name not in wanted]:
            del self._running[name]
            self._hosted.stop(name)
        for name, (spec, base) in wanted.items():
            digest = _digest(spec)
            if self._running.get(name) == digest:
                continue
            if name in self._running:
                self._hosted.stop(name)
                base = None  # a profile of another fabric
            self._running[name] = digest
            self._hosted.start(spec, base)

    def _dies_too_often(self, name: str) -> bool:
        moment = time.monotonic()
        self._deaths[name] = [one for one in self._deaths.get(name, []) if one > moment - DEATHS_S] + [moment]
        return len(self._deaths[name]) >= MOST_DEATHS

    def _record(self, name: str, runtime: Mapping[str, Any], outcome: str | None = None) -> None:
        with self._database.writing() as session:
            record = session.get(FabricRecord, name, with_for_update=True)
            if record is not None:
                problem = {"problem": without_paths(runtime["problem"])} if "problem" in runtime else {}
                record.runtime = dict(runtime) | problem
                publish_change(
                    session, name, "state", {"action": "start", **({} if outcome is None else {"outcome": outcome}), **problem}
                )
        _log.info("fabric.runtime", fabric=name, problem=runtime.get("problem"))


def _hosted_kinds() -> list[str]:
    return [kind.name for kind in FABRIC_KINDS if kind.hosted]


def _digest(spec: FabricSpec) -> str:
    return hashlib.sha256(json.dumps(dict(spec.options), sort_keys=True).encode()).hexdigest()
