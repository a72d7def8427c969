# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns in an SQLite file, on a local disk: its locks do not hold over networks."""

import fcntl
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from optuna.storages import RDBStorage
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import SingletonThreadPool

from tuner.atomic_file import sync_folder
from tuner.campaign.storages.base import STORAGES
from tuner.errors import BadInputError
from tuner.write_ahead_log import write_ahead

_BUSY_TIMEOUT_S = 30
_PROBED_S = 0.5
"""Somebody who only asks whether the lock is held has it for less than that."""


class SqliteStorage:
    """One campaign at a time runs in a file: SQLite has one writer."""

    def __init__(self, location: str) -> None:
        self.path = Path(location.removeprefix("sqlite:///"))
        self._created = self._has_synced = False

    @property
    def label(self) -> str:
        return str(self.path)

    def exists(self) -> bool:
        return self.path.is_file()

    def lock(self, campaign: str) -> "FileLock":
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._created = not self.path.exists()
            return FileLock(self.path)
        except OSError as error:
            raise BadInputError(f"'{self.path}' cannot hold a campaign: {error.strerror}") from error

    def owner(self, campaign: str) -> str | None:
        file = _lock_file(self.path)
        if not file.exists():
            return None
        with file.open(encoding="utf-8") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                return f"process {lock.read().strip() or 'unknown'}"
        return None

    def connect(self) -> RDBStorage:
        opens: Callable[[], Any] = self._connection  # whose type SQLAlchemy takes for no connection
        connections = SingletonThreadPool(opens)
        try:
            with _one_at_a_time(self.path.parent):
                return RDBStorage(f"sqlite:///{self.path}", engine_kwargs={"pool": connections})
        except (DatabaseError, OSError, RuntimeError) as error:
            connections.dispose()
            raise BadInputError(f"'{self.path}' cannot hold a campaign: {str(error).splitlines()[0]}") from error

    def sync(self) -> None:
        # Only the log: to close another descriptor of the database would give up this process's locks. What is in the log no
        # more is on the disk, as SQLite sees to that before it begins the log anew.
        with suppress(FileNotFoundError), self.path.with_name(self.path.name + "-wal").open("rb") as log:
            os.fdatasync(log.fileno())
        if not self._has_synced:
            sync_folder(self.path.parent)
            self._has_synced = True

    def discard(self) -> None:
        if self._created:
            for suffix in ("", "-wal", "-shm", ".lock"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    def _connection(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=_BUSY_TIMEOUT_S)
        try:
            write_ahead(connection, _BUSY_TIMEOUT_S)  # those who look at the file do not block the writer
            # The end of the process loses nothing; a power failure may lose the last trials, but never the file.
            connection.execute("PRAGMA synchronous=NORMAL")
        except sqlite3.Error:
            connection.close()
            raise
        return connection


class FileLock:
    """Beside the file, with the process's number in it."""

    def __init__(self, path: Path) -> None:
        self._file = _lock_file(path).open("a+", encoding="utf-8")
        deadline = time.monotonic() + _PROBED_S
        while not _taken(self._file):
            if time.monotonic() >= deadline:
                self._file.seek(0)
                owner = self._file.read().strip()
                self._file.close()
                raise BadInputError(
                    f"'{path}' is in use by process {owner or 'unknown'}; "
                    "wait until that campaign ends, or give another --storage"
                )
            time.sleep(0.02)
        self._file.truncate(0)
        self._file.write(str(os.getpid()))
        self._file.flush()

    def require(self) -> None:
        """Nothing takes it away."""

    def close(self) -> None:
        self._file.close()


@contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    """Optuna looks for its tables and then creates them: of two processes that open a new file at once one would fail."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _lock_file(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def _taken(file: TextIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


STORAGES.add("sqlite", SqliteStorage)
