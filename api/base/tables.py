# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tables as CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe in front."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from fastapi.responses import StreamingResponse

_CHUNK_CHARACTERS = 2**16

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_response(name: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> StreamingResponse:
    """A file `NAME.csv` to be saved. The rows may be made while it is sent."""
    return StreamingResponse(
        csv_chunks(header, rows),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"'},
    )


def csv_chunks(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Lines in chunks: each chunk that is sent costs a change of threads, which is many times what a line costs."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([_cell(value) for value in header])
    for row in rows:
        writer.writerow([_cell(value) for value in row])
        if text.tell() >= _CHUNK_CHARACTERS:
            yield text.getvalue()
            text.seek(0)
            text.truncate()
    yield text.getvalue()


def _cell(value: object) -> object:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value
