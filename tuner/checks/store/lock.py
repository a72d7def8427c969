# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One check at a time in a history: a second one would disturb what the first one measures."""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from tuner.checks.could_not_run import CouldNotRunError

LOCK = ".lock"
"""Name of the file; no check can have it as its name."""


@contextmanager
def locked(folder: Path, what: str) -> Iterator[None]:
    """Makes the folder if it is missing, and holds its lock, which ends with the process. `what`: who holds it, for others.

    Raises CouldNotRunError if somebody else holds it, who is named, and if the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise CouldNotRunError(
            f"the history {folder} cannot be written: {error.strerror}; give another with --history"
        ) from error
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(file, 500, 0).decode(errors="replace").strip() or "another check runs"
            raise CouldNotRunError(f"{holder}; wait for its end, or give another --history") from error
        _write_holder(file, what)
        yield
    finally:
        os.close(file)


def _write_holder(file: int, what: str) -> None:
    """It is for people alone, so a full disk is no reason to stop here."""
    since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    try:
        os.ftruncate(file, 0)
        os.pwrite(file, f"{what} runs since {since} (process {os.getpid()} on {socket.gethostname()})\n".encode(), 0)
    except OSError:
        pass
