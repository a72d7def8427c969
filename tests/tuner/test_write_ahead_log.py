# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""SQLite files that several open at once."""

import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from tuner.write_ahead_log import write_ahead


def connect(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(file, timeout=10, isolation_level=None, check_same_thread=False)


def journal(connection: sqlite3.Connection) -> str:
    mode: str = connection.execute("PRAGMA journal_mode").fetchone()[0]
    return mode


def test_a_file_keeps_its_log(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "x.db")) as first:
        write_ahead(first, 10)
        write_ahead(first, 10)
    with closing(connect(tmp_path / "x.db")) as second:
        assert journal(second) == "wal"


def test_who_comes_while_another_writes_waits(tmp_path: Path) -> None:
    """SQLite's own busy timeout does not: it refuses at once."""
    with closing(connect(tmp_path / "x.db")) as writer, closing(connect(tmp_path / "x.db")) as other:
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError, match="database is locked"):
            other.execute("PRAGMA journal_mode = WAL")
        later = threading.Timer(0.2, lambda: writer.execute("COMMIT"))
        later.start()
        write_ahead(other, 10)
        later.join()
        assert journal(other) == "wal"


def test_who_waits_in_vain_is_told(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "x.db")) as writer, closing(connect(tmp_path / "x.db")) as other:
        writer.execute("BEGIN IMMEDIATE")
        begun = time.monotonic()
        with pytest.raises(sqlite3.OperationalError, match="database is locked"):
            write_ahead(other, 0.1)
        assert time.monotonic() - begun >= 0.1


def test_another_fault_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"no database" * 100)
    with closing(connect(tmp_path / "x.db")) as connection, pytest.raises(sqlite3.DatabaseError, match="not a database"):
        write_ahead(connection, 10)
