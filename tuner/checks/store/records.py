# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Records of a check's entries, such as all links of a fabric: large, so only those that a later night is compared with are kept.

A record is a file of its run's number, written before the run. One without a run was left by a crash and does not count.
"""

import gzip
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from tuner.atomic_file import write_bytes_atomically
from tuner.errors import BadInputError

EXPECTED = 0
"""Number of the records of the fabric that a person has adopted as the expected one; runs are numbered from 1."""
_NAME = re.compile(r"(?P<number>\d{6,})\.(?P<entry>[a-z][a-z0-9_-]*)\.record\.gz")


class Records:
    """Those in the folder of a check's history."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, number: int, entry: str, record: Mapping[str, Any]) -> None:
        """Raises OSError, and then the record is not stored."""
        write_bytes_atomically(self._path(number, entry), packed(record))

    def numbers(self, entry: str) -> set[int]:
        """Numbers of the runs that have a record of the entry."""
        return {number for number, name, _ in self._files() if name == entry}

    def get(self, number: int, entry: str) -> Mapping[str, Any]:
        """Raises BadInputError for a file that cannot be read, or that is no record."""
        path = self._path(number, entry)
        try:
            return unpacked(path.read_bytes())
        except (OSError, ValueError) as error:
            raise BadInputError(f"is no record of a check: {error}; remove the file", source=str(path)) from error

    def keep(self, kept: Mapping[str, set[int]]) -> None:
        """Removes all others but those of the expected fabric. `kept`: numbers of runs by entry. A file that cannot be removed
        now is tried again later."""
        for number, entry, path in self._files():
            if number != EXPECTED and number not in kept.get(entry, set()):
                with suppress(OSError):
                    path.unlink()

    def _files(self) -> Iterator[tuple[int, str, Path]]:
        for path in self._folder.glob("*.record.gz"):
            if match := _NAME.fullmatch(path.name):
                yield int(match["number"]), match["entry"], path

    def _path(self, number: int, entry: str) -> Path:
        return self._folder / f"{number:06d}.{entry}.record.gz"


def packed(record: Mapping[str, Any]) -> bytes:
    text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return gzip.compress(text.encode(), compresslevel=6, mtime=0)


def unpacked(content: bytes) -> Mapping[str, Any]:
    """Raises ValueError for what `packed` has not made."""
    try:
        return dict(json.loads(gzip.decompress(content)))
    except (OSError, EOFError, TypeError, zlib.error) as error:
        raise ValueError(str(error)) from error
