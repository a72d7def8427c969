# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Reads traces: CSV files that say which message is sent when, by whom, to whom.

    # anything after a hash at the start of a line
    time_s,src,dst,bytes,sl
    0,H1,H2,4096,0
    0.000001,"a name, with a comma",lid:7,65536,

The first line that is not a comment names the columns; `sl` may be left out, as a column or in a line. Lines may be in any order.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tuner.documents.flow import MAX_TIME_S
from tuner.errors import BadInputError

MAX_MESSAGE_BYTES = 2**31
"""IBA allows no longer message."""
_COLUMNS = ("time_s", "src", "dst", "bytes", "sl")


@dataclass(frozen=True)
class TraceFlow:
    """All messages of a trace from one host to another on one SL."""

    src: str
    """As the file has it: a unique node description, `guid:0x…` or `lid:N`."""
    dst: str
    sl: int | None
    line: int
    """Line of its first message."""
    messages: list[tuple[float, int]] = field(repr=False)
    """(handed over at second, bytes), ascending by time."""


def load_trace(path: Path) -> list[TraceFlow]:
    """Reads a file; flows come in the order in which the file first has them. Raises BadInputError with the line."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadInputError(f"cannot read the trace {path}: {error.strerror}") from error
    return parse_trace(data, source=str(path))


def parse_trace(data: bytes, *, source: str) -> list[TraceFlow]:
    """As load_trace, of a file's content. `source` is what errors call it."""
    try:
        return _parsed(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInputError(f"holds the byte 0x{data[error.start]:02x}, which is not UTF-8", source=source, line=line) from error
    except _BadLineError as error:
        raise BadInputError(error.sentence, source=source, line=error.line) from error.__cause__


class _BadLineError(Exception):
    def __init__(self, line: int, sentence: str) -> None:
        self.line, self.sentence = line, sentence


def _parsed(text: str) -> list[TraceFlow]:
    lines = enumerate(text.split("\n"), start=1)
    n_columns = _read_header(lines)
    flows: dict[tuple[str, str, int | None], TraceFlow] = {}
    by_text: dict[tuple[str, ...], list[tuple[float, int]]] = {}  # one look-up a line, without stripping names anew
    for number, line in lines:  # a million of them: what is rare is left to functions
        fields: Sequence[str] = line.split(",")
        if len(fields) != n_columns or '"' in line or line[0] in "# \t":
            split = _split(number, line, n_columns)
            if split is None:
                continue
            fields = split
        key = (fields[1], fields[2], *fields[4:])
        messages = by_text.get(key)
        if messages is None:
            flow = _flow(number, fields)
            messages = by_text[key] = flows.setdefault((flow.src, flow.dst, flow.sl), flow).messages
        try:
            time_s, size = float(fields[0]), int(fields[3])
        except ValueError as error:
            raise _bad_number(number, fields) from error
        if not 0 <= time_s <= MAX_TIME_S or not 1 <= size <= MAX_MESSAGE_BYTES or "_" in fields[0] or "_" in fields[3]:
            raise _bad_number(number, fields)
        messages.append((time_s, size))
    for flow in flows.values():
        flow.messages.sort(key=lambda message: message[0])  # stable: messages of one time stay in the file's order
    return list(flows.values())


def _read_header(lines: Iterator[tuple[int, str]]) -> int:
    """The number of columns."""
    expected = ",".join(_COLUMNS[:-1])
    number = 1
    for number, line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        names = tuple(name.strip() for name in line.split(","))
        if names not in (_COLUMNS, _COLUMNS[:-1]):
            raise _BadLineError(number, f"'{_shortened(line.strip())}' is not the header; it must be {expected} or {expected},sl")
        return len(names)
    raise _BadLineError(number, f"holds no messages; a trace begins with the header {expected}")


def _split(number: int, line: str, n_columns: int) -> Sequence[str] | None:
    """The fields of a line that is not plain; None if there is nothing in it."""
    if not line.strip() or line.lstrip().startswith("#"):
        return None
    try:
        fields = next(csv.reader([line.strip()], strict=True, skipinitialspace=True))
    except csv.Error as error:
        raise _BadLineError(number, f"'{_shortened(line.strip())}' is not CSV: {error}") from error
    if len(fields) == n_columns - 1 == len(_COLUMNS) - 1:
        return [*fields, ""]
    if len(fields) != n_columns:
        raise _BadLineError(number, f"has {len(fields)} fields; the header names {n_columns}")
    return fields


def _flow(number: int, fields: Sequence[str]) -> TraceFlow:
    _, src, dst, _, sl, *_ = (text.strip() for text in (*fields, ""))
    for column, name in (("src", src), ("dst", dst)):
        if not name:
            raise _BadLineError(number, f"{column} is empty; a host is expected")
    if sl and not (sl.isascii() and sl.isdigit() and int(sl[:9]) <= 15):
        raise _BadLineError(number, f"sl is '{_shortened(sl)}'; it must be from 0 to 15")
    return TraceFlow(src, dst, int(sl) if sl else None, number, [])


def _bad_number(number: int, fields: Sequence[str]) -> _BadLineError:
    """Returns the error of a line whose time or size is wrong."""
    time, size = (_shortened(fields[i].strip()) for i in (0, 3))
    try:
        time_is_good = "_" not in time and 0 <= float(fields[0]) <= MAX_TIME_S
    except ValueError:
        time_is_good = False
    if not time_is_good:
        return _BadLineError(number, f"time_s is '{time}'; it must be a number of seconds from 0 to {MAX_TIME_S:g}")
    return _BadLineError(number, f"bytes is '{size}'; it must be a whole number from 1 to {MAX_MESSAGE_BYTES}")


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else text[:60] + "…"
