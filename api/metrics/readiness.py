# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What `/ready` says: whether requests can be served, and what needs attention."""

import errno
import os
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from api.configuration.settings import Settings
from api.database.engine import Database
from api.events.hub import Hub
from api.jobs.worker import Worker
from api.services.fabric_hosting import FabricHosting

_PROBED_S = 5.0
"""Anybody may ask /ready; the disk is tried at most that often."""
_PROBE_BYTES = 256 * 1024
_LOW_BYTES = 64 * 2**20


class NotReadyError(Exception):
    """With the sentence that says why."""


@dataclass(frozen=True)
class Ready:
    """`remarks`: sentences about what needs attention. `synchronous_commit`: PostgreSQL's; None: the database is SQLite."""

    remarks: list[str]
    synchronous_commit: str | None


class Readiness:
    """Tells whether one server can do its work, and what it lacks."""

    def __init__(self, settings: Settings, database: Database, worker: Worker, hub: Hub, hosting: FabricHosting) -> None:
        self._database, self._threads, self._hub = database, (worker.loop, hub.thread, hosting.loop), hub
        self._folders = {"state folder": settings.state_folder}
        file = make_url(settings.database).database
        if database.is_sqlite and file and Path(file).parent != settings.state_folder:
            self._folders["database"] = Path(file).parent
        self._lock = threading.Lock()
        self._probed_s = float("-inf")
        self._full: str | None = None

    def ask(self) -> Ready:
        """Raises NotReadyError."""
        commit, remarks = None, list[str]()
        try:
            with self._database.reading() as session:
                session.execute(text("SELECT 1"))
                if not self._database.is_sqlite:
                    commit, remarks = _durability(session)
        except SQLAlchemyError as error:
            raise NotReadyError("The database is not responding.") from error
        for thread in self._threads:
            if trouble := thread.trouble():
                raise NotReadyError(trouble)
        if full := self._disk_trouble():
            raise NotReadyError(full)
        remarks += filter(None, (thread.remark() for thread in self._threads))
        remarks += filter(None, (self._hub.remark(), *(_low(*one) for one in self._folders.items())))
        return Ready(remarks, commit)

    def _disk_trouble(self) -> str | None:
        with self._lock:
            if time.monotonic() >= self._probed_s + _PROBED_S:
                found = [_unwritable(*one) for one in self._folders.items()]
                self._full = next((one for one in found if one is not None), None)
                self._probed_s = time.monotonic()
            return self._full


def _unwritable(name: str, folder: Path) -> str | None:
    """Returns a sentence if a file cannot be written there, without the folder's place: anybody may ask."""
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            left = _PROBE_BYTES
            while left:
                left -= file.write(bytes(left))
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return f"The disk of the {name} is full, so that nothing can be stored; free some space."
        return f"The {name} cannot be written ({os.strerror(error.errno or 0)}); make it writable for the service's user."
    return None


def _low(name: str, folder: Path) -> str | None:
    found = os.statvfs(folder)
    free_bytes = found.f_bavail * found.f_frsize
    if free_bytes >= _LOW_BYTES:
        return None
    return f"The disk of the {name} has {free_bytes / 2**20:.0f} MiB left; free some space before it is full."


def _durability(session: Session) -> tuple[str, list[str]]:
    """PostgreSQL's synchronous_commit, and remarks on what a power cut may take."""
    commit, fsync = (str(session.scalar(text(f"SHOW {name}"))) for name in ("synchronous_commit", "fsync"))
    return commit, [
        f"PostgreSQL's {name} is off: a power cut of its machine may take answered changes away; on would be right."
        for name, value in (("synchronous_commit", commit), ("fsync", fsync))
        if value == "off"
    ]
