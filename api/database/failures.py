# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Failures of the database in words for people."""

import sqlite3

from sqlalchemy.exc import DBAPIError

DISK_FULL = "The disk of the database is full, so that nothing can be stored; free some space, then retry."
_POSTGRESQL_DISK_FULL = "53100"


def failure_sentence(error: DBAPIError) -> str:
    """Returns what is wrong, without a place of the machine."""
    if is_disk_full(error):
        return DISK_FULL
    if _sqlite_code(error) == sqlite3.SQLITE_READONLY:
        return "The database cannot be written: its file or its disk is read-only; make it writable, then retry."
    return "The database is not responding; retry in a moment."


def is_disk_full(error: DBAPIError) -> bool:
    full = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)
    return _sqlite_code(error) in full or getattr(error.orig, "sqlstate", None) == _POSTGRESQL_DISK_FULL


def is_damaged(error: DBAPIError | sqlite3.DatabaseError) -> bool:
    """True if a file is no database of SQLite, or not a whole one. What goes wrong while a connection is made is SQLite's own."""
    code = _sqlite_code(error) if isinstance(error, DBAPIError) else getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


def _sqlite_code(error: DBAPIError) -> int | None:
    code: int | None = getattr(error.orig, "sqlite_errorcode", None)
    return code
