# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Copies of databases while others write to them: SQLite's own, and those of pg_dump."""

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from sqlalchemy.engine import make_url

from tuner.errors import BadInputError, UnreachableError

_BUSY_TIMEOUT_S = 30.0
_HEADER = b"SQLite format 3\0"


def is_sqlite(file: Path) -> bool:
    with file.open("rb") as content:
        return content.read(len(_HEADER)) == _HEADER


def copy_sqlite(file: Path, target: Path) -> None:
    """Copies it as it is after one of its transactions. Raises BadInputError."""
    try:
        with closing(sqlite3.connect(file, timeout=_BUSY_TIMEOUT_S)) as connection:
            connection.execute("VACUUM INTO ?", [str(target)])
    except sqlite3.Error as error:
        raise BadInputError(f"the database {file} cannot be copied: {error}") from error


def require_unused(file: Path) -> None:
    """Raises BadInputError if another process has the database open, as a service does."""
    if not file.exists():
        return
    try:
        with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as connection:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise BadInputError(f"{file} is in use; stop the service and its workers first") from error
    except sqlite3.DatabaseError:
        return  # whatever it is, nobody works with it


def dump_postgresql(url: str, target: Path) -> None:
    """Raises BadInputError and UnreachableError."""
    _run("pg_dump", url, ["--format=custom", "--no-owner", "--file", str(target)])


def restore_postgresql(url: str, dump: Path) -> None:
    """In one transaction: all of it or nothing. Raises BadInputError and UnreachableError."""
    _run("pg_restore", url, ["--clean", "--if-exists", "--no-owner", "--single-transaction", "--exit-on-error"], [str(dump)])


def _run(program: str, url: str, words: list[str], last: list[str] | None = None) -> None:
    found = shutil.which(program)
    if found is None:
        raise BadInputError(
            f"{program} is not installed, which copies databases of PostgreSQL; Debian's postgresql-client has it"
        )
    parsed = make_url(url).set(drivername="postgresql")
    environment = dict(os.environ)
    if parsed.password is not None:  # not among the words, which every process can read
        environment["PGPASSWORD"] = str(parsed.password)
    address = parsed._replace(password=None).render_as_string(hide_password=False)
    done = subprocess.run(
        [found, *words, "--dbname", address, *(last or [])], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        why = next((line for line in done.stderr.splitlines() if line.strip()), f"it ended with {done.returncode}")
        raise UnreachableError(f"{program} has failed: {why.removeprefix(f'{program}: ')}")
