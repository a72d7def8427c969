# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Keeps the emulated fabrics of the table running, in the server's process: those that are added start, those that are deleted or
get other options end. The table is looked at, not told about, so that it does not matter who changed it."""

import hashlib
import json
import threading
from collections.abc import Mapping
from typing import Any

import structlog
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from api.access.principal import system
from api.database.engine import Database
from api.database.models.fabric import Fabric, FabricRecord
from api.fabric_drivers.emulated import STARTING
from api.fabric_drivers.hosting import HostedFabrics
from api.fabric_drivers.registry import FABRIC_KINDS, FabricSpec
from api.places import without_paths
from api.services.fabric_access import publish_change, spec_of
from api.services.fabrics import ensure_default

_log = structlog.get_logger()

LOOK_S = 1.0


class FabricHosting:
    """start() and stop() may be called once each."""

    def __init__(self, database: Database, look_s: float = LOOK_S) -> None:
        self._database, self._look_s = database, look_s
        self._hosted = HostedFabrics(self._record)
        self._running: dict[str, str] = {}
        """Digest of the options that each fabric was started with, by the fabric's name."""
        self._ending = threading.Event()
        self._loop = threading.Thread(target=self._run, name="ibcc-fabrics", daemon=True)

    def start(self) -> None:
        """Makes the default fabric if there is none yet. The fabrics of this server are starting when it returns, whatever a
        server that was killed has left in the table."""
        with self._database.writing() as session:
            ensure_default(session, system("first start"))
            for row in session.scalars(select(Fabric).where(Fabric.kind.in_(_hosted_kinds()))).unique():
                row.record.runtime = {"problem": STARTING}
        self._loop.start()

    def stop(self) -> None:
        """Ends OpenSM and the fabrics, which put their base back first."""
        self._ending.set()
        self._loop.join()
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
            self._hosted.stop(name)  # clears what it has left; it starts again below, with its base
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

    def _record(self, name: str, runtime: Mapping[str, Any]) -> None:
        with self._database.writing() as session:
            record = session.get(FabricRecord, name, with_for_update=True)
            if record is not None:
                problem = {"problem": without_paths(runtime["problem"])} if "problem" in runtime else {}
                record.runtime = dict(runtime) | problem
                publish_change(session, name, "state", {"action": "start", **problem})
        _log.info("fabric.runtime", fabric=name, problem=runtime.get("problem"))


def _hosted_kinds() -> list[str]:
    return [kind.name for kind in FABRIC_KINDS if kind.hosted]


def _digest(spec: FabricSpec) -> str:
    return hashlib.sha256(json.dumps(dict(spec.options), sort_keys=True).encode()).hexdigest()
