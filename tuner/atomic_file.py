# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Writes files of which a crash leaves all or nothing."""

import os
from contextlib import suppress
from pathlib import Path

SUFFIX = ".part"
"""Suffix of unfinished files; a crash leaves them, and the next writer removes them."""


def write_atomically(path: Path, text: str, *, mode: int | None = None) -> None:
    """Writes a text in UTF-8, as write_bytes_atomically writes bytes."""
    write_bytes_atomically(path, text.encode(), mode=mode)


def write_bytes_atomically(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """The file has this content, also after a power cut, once this returns; before, it is as it was. `mode`: its permissions,
    whatever the umask; by default what that leaves of 0o644.

    Raises OSError, and then nothing has changed unless the folder's own fsync failed.
    """
    unfinished = path.with_name(path.name + SUFFIX)
    try:
        file = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        try:
            if mode is not None:
                os.fchmod(file, mode)
            _write_all(file, content)
            os.fsync(file)
        finally:
            os.close(file)
        os.replace(unfinished, path)
    except OSError:
        with suppress(OSError):
            os.unlink(unfinished)
        raise
    sync_folder(path.parent)


def remove_unfinished(folder: Path) -> None:
    """Removes what crashes have left. Raises OSError."""
    for path in folder.glob(f"*{SUFFIX}"):
        path.unlink(missing_ok=True)


def _write_all(file: int, content: bytes) -> None:
    while content:
        content = content[os.write(file, content) :]


def sync_folder(folder: Path) -> None:
    """Has the folder's entries outlive a power cut: fsync of a new file alone does not keep its name. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
