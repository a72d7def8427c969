# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The journal of SQLite files: a write-ahead log, so that readers and the writer do not wait for each other."""

import sqlite3
import time

_RETRY_S = 0.01


def write_ahead(connection: sqlite3.Connection, timeout_s: float) -> None:
    """Gives the file a write-ahead log, unless it has one.

    Of several processes that open a new file at once one converts it. SQLite refuses the others in the same moment, whatever
    their busy timeout, for two that waited with a lock each could wait for each other; so they ask again, for `timeout_s`.

    Raises sqlite3.OperationalError.
    """
    end = time.monotonic() + timeout_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # The low byte is the code, the rest says more about it.
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= end:
                raise
            time.sleep(_RETRY_S)
        else:
            return
