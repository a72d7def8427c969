# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Brings the database's schema to this version's, from an empty one or an older one, with all that is in it.

Alembic's table is `ibcc_schema`: Optuna's, which may be in the same PostgreSQL, is `alembic_version`.
"""

import functools
import sqlite3
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DatabaseError

from api.database.failures import is_damaged
from tuner.errors import BadInputError

VERSION_TABLE = "ibcc_schema"

_LOCK = 0x69626363  # "ibcc": of processes that start at once, one upgrades and the others wait


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Raises BadInputError if the database was made by a newer version, or is damaged."""
    try:
        _bring_up(engine, revision)
    except (DatabaseError, sqlite3.DatabaseError) as error:
        if not is_damaged(error):
            raise
        cause = error.orig if isinstance(error, DatabaseError) else error
        raise BadInputError(f"the database is damaged ({cause}); restore a backup: `ibcc restore FILE --replace`") from error


def _bring_up(engine: Engine, revision: str) -> None:
    with engine.connect() as connection:
        if revision == "head" and current(connection) == head():
            return
        connection.rollback()
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": _LOCK})
            connection.commit()
        try:
            _upgrade(connection, revision)
        finally:
            connection.rollback()
            if engine.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": _LOCK})
                connection.commit()


def _upgrade(connection: Connection, revision: str) -> None:
    if connection.dialect.name == "sqlite":
        # SQLite alters a table by copying it, and to drop the old one must not delete what refers to it. Outside of a
        # transaction only; `BEGIN IMMEDIATE` then makes others wait.
        connection.exec_driver_sql("COMMIT")
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    try:
        command.upgrade(_config(connection), revision)
        connection.commit()
    except CommandError as error:
        raise BadInputError(
            f"the database is of schema {current(connection)}, which this version of ibcc does not know; "
            "start the version that made it, or a newer one"
        ) from error
    finally:
        if connection.dialect.name == "sqlite":
            connection.rollback()
            connection.invalidate()  # with its pragma


def current(connection: Connection) -> str | None:
    """The schema's revision; None: empty."""
    return MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE}).get_current_revision()


@functools.cache
def head() -> str:
    """The newest revision that this version knows."""
    revision = ScriptDirectory.from_config(_config(None)).get_current_head()
    assert revision is not None
    return revision


def _config(connection: Connection | None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
