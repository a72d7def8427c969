# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The engine and its sessions.

SQLite: write-ahead log, so that readers never wait for the writer; a writer takes its lock at the beginning (BEGIN IMMEDIATE),
for a transaction that reads first and writes later would fail, not wait, when another one wrote in between.

A commit waits until the write-ahead log is on the disk (`synchronous = FULL`), so that a power cut takes nothing away that was
answered. Progress does not wait (`NORMAL`): the next commit that does takes it along, since both are in one log.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.orm import Session, sessionmaker

from api.base.private_folder import make_private_folder
from tuner.atomic_file import sync_folder
from tuner.errors import BadInputError
from tuner.products import require_package
from tuner.write_ahead_log import write_ahead

_BUSY_TIMEOUT_S = 30
_WRITES = "ibcc_writes"
_SYNCHRONOUS = "ibcc_synchronous"
DURABLE = "FULL"
"""SQLite's `synchronous` of what was answered."""


class Database:
    """An engine with two kinds of transactions. Threads share it; a session belongs to one."""

    def __init__(self, url: str) -> None:
        self.engine = make_engine(url)
        self._read = sessionmaker(self.engine, expire_on_commit=False)
        self._write = {
            durable: sessionmaker(
                self.engine.execution_options(**{_WRITES: True, _SYNCHRONOUS: DURABLE if durable else "NORMAL"}),
                expire_on_commit=False,
            )
            for durable in (True, False)
        }

    @property
    def is_sqlite(self) -> bool:
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A transaction that only reads: what it changes is lost."""
        with self._read() as session:
            yield session

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[Session]:
        """A transaction that is committed at the end, or rolled back if the block raises. It begins with the first statement.

        A power cut takes nothing away that a `durable` one has committed. Others are for progress that is measured, counted or
        seen again, of which nobody was told that it is stored: in SQLite they do not wait for the disk."""
        with self._write[durable]() as session, session.begin():
            yield session

    def close(self) -> None:
        self.engine.dispose()


def make_engine(url: str) -> Engine:
    """Raises BadInputError."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        return _sqlite_engine(parsed)
    if parsed.drivername == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
        require_package("psycopg", "a database in PostgreSQL")
    return create_engine(parsed, pool_pre_ping=True, pool_size=10, max_overflow=30)


def _sqlite_engine(url: Any) -> Engine:
    if not url.database or url.database == ":memory:":
        raise BadInputError("the service keeps its database in a file: sqlite:////PATH/ibcc.db")
    _make_private(Path(url.database))
    engine = create_engine(
        url, connect_args={"check_same_thread": False, "timeout": _BUSY_TIMEOUT_S}, pool_size=10, max_overflow=30
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, record: object) -> None:
        connection.isolation_level = None  # `begin` below says when a transaction begins, not the driver
        try:
            write_ahead(connection, _BUSY_TIMEOUT_S)
            for pragma in (f"synchronous = {DURABLE}", "foreign_keys = ON", "temp_store = MEMORY"):
                connection.execute(f"PRAGMA {pragma}")
        except sqlite3.Error:
            connection.close()
            raise

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        writes = options.get(_WRITES, False)
        if writes:  # the connection may have had a transaction of the other kind before
            connection.exec_driver_sql(f"PRAGMA synchronous = {options.get(_SYNCHRONOUS, DURABLE)}")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _make_private(file: Path) -> None:
    """Nobody else reads it: it has password hashes. SQLite gives its further files the same mode. Raises BadInputError."""
    try:
        make_private_folder(file.parent)
        if not file.exists():
            file.touch(mode=0o600)
            sync_folder(file.parent)
    except OSError as error:
        raise BadInputError(
            f"the database {file} cannot be made: {error.strerror}; another state_folder would be right"
        ) from error
