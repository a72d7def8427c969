# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sections of ibdiagnet's `ibdiagnet2.db_csv`, one line after the other.

A section is a line `START_NAME`, a line with the names of columns, rows, and a line `END_NAME`. Files of large fabrics have
gigabytes, so no more than a line is held. Names of sections are those of `ibdiag/ibdiag_types.h` (ibutils2).
"""

import csv
import gzip
import re
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from tuner.errors import BadInputError

_GZIP = b"\x1f\x8b"
_LINE_BYTES = 65536
"""Longest line that is read."""
_START, _END = "START_", "END_"
_NUMBER = re.compile(r"(?:0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20})")


@dataclass(frozen=True)
class Row:
    """One row: its `cells` by the lower-case name of the column, without those that are empty or N/A. `columns`: all that the
    section has."""

    section: str
    """Without START_."""
    line: int
    cells: dict[str, str]
    columns: Sequence[str] = ()


@dataclass
class Notes:
    """Sentences about what was read differently than it stands."""

    sentences: list[str]


def read_rows(path: Path, sections: Collection[str], notes: Notes) -> Iterator[Row]:
    """Yields the rows of these sections, in the order of the file, which gzip may have packed.

    Raises BadInputError for a file that cannot be read or is damaged, and for lines of a section that are no rows.
    """
    source = str(path)
    try:
        with _opened(path) as file:
            yield from _rows(file, sections, notes, source)
    except (OSError, EOFError, zlib.error) as error:  # the latter two: of gzip, cut short or damaged
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInputError(f"cannot be read: {reason}", source=source) from error


def number(text: str) -> int | None:
    """A number of up to 64 bits, decimal or after 0x; None for all else."""
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        return None
    value = int(text, 16 if text[:2] in ("0x", "0X") else 10)
    return value if value < 2**64 else None


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    with path.open("rb") as file:
        packed = file.read(len(_GZIP)) == _GZIP
        file.seek(0)
        if packed:
            with gzip.open(file) as unpacked:
                yield cast(BinaryIO, unpacked)
        else:
            yield file


def _rows(file: BinaryIO, sections: Collection[str], notes: Notes, source: str) -> Iterator[Row]:
    section: str | None = None
    columns: list[str] | None = None
    for line, text in _lines(file, source):
        if section is None:
            if text.startswith(_START) and text.removeprefix(_START) in sections:
                section, columns = text.removeprefix(_START), None
        elif text == _END + section:
            section = None
        elif text.startswith(_START):
            notes.sentences.append(f"line {line}: section {section} has no end before {text[:60]}")
            section, columns = (text.removeprefix(_START), None) if text.removeprefix(_START) in sections else (None, None)
        elif not text:
            continue
        elif columns is None:
            columns = _columns(text, section, line, source)
        else:
            yield _row(section, line, columns, text, source)
    if section is not None:
        notes.sentences.append(f"section {section} has no end: the file is cut short")


def _lines(file: BinaryIO, source: str) -> Iterator[tuple[int, str]]:
    """The lines with their numbers, without the ends of lines that Windows or Unix write."""
    number = 0
    while raw := file.readline(_LINE_BYTES + 1):
        number += 1
        if len(raw) > _LINE_BYTES:
            sentence = f"has more than {_LINE_BYTES} bytes in a line; ibdiagnet writes shorter ones"
            raise BadInputError(sentence, source=source, line=number)
        yield number, raw.decode("utf-8", errors="replace").removeprefix("\ufeff").strip()


def _columns(text: str, section: str, line: int, source: str) -> list[str]:
    columns = [name.strip().lower() for name in _cells(text, line, source)]
    twice = next((name for name in columns if name and columns.count(name) > 1), None)
    if twice is not None:
        raise BadInputError(f"section {section} has the column '{twice:.60}' twice", source=source, line=line)
    if "nodeguid" not in columns:
        raise BadInputError(f"section {section} has no column NodeGUID in its first line, '{text:.60}'", source=source, line=line)
    return columns


def _row(section: str, line: int, columns: list[str], text: str, source: str) -> Row:
    cells = [cell.strip() for cell in _cells(text, line, source)]
    if len(cells) > len(columns):
        raise BadInputError(f"has {len(cells)} cells, but section {section} has {len(columns)} columns", source=source, line=line)
    pairs = zip(columns, cells, strict=False)  # a row may end early
    return Row(
        section, line, {name: cell for name, cell in pairs if name and cell and cell.upper() not in ("N/A", "NA")}, columns
    )


def _cells(text: str, line: int, source: str) -> list[str]:
    try:
        return next(csv.reader([text]), [])
    except csv.Error as error:
        raise BadInputError(f"is not a row of cells: {error}", source=source, line=line) from error
