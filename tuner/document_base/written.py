# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A document together with its text, for editors: where in the text each part of the document stands."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from tuner.document_base.yaml_core import Document, Place, Span, Spans, parse_with_spans

_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, kw_only=True)
class Where:
    """A part of a text: lines and columns from 1, columns in characters; the end is behind the last character."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Written:
    """A text, the document in it, and where its parts stand."""

    text: str
    document: Document
    _spans: Spans

    def where(self, place: Place, *, key: bool = False) -> Where | None:
        """Where the value at `place` stands. A list or a mapping that has a key stands where that does, another one in the rest
        of its first line. Where nothing stands at `place`, the nearest value around it counts, at last the document. `key`: where
        the value's key stands, if it has one."""
        while (span := self._span(place, key=key)) is None and place:
            place = place[:-1]
        return None if span is None else self._where(span)

    def place_at(self, line: int) -> Place:
        """The first of the outermost values that stand in a line."""
        found = [place for place, one in self.document.lines.items() if one == line]
        return min(found, key=len, default=())

    def _span(self, place: Place, *, key: bool) -> Span | None:
        spans = self._spans
        scalar = spans.scalars.get(place)
        if scalar is not None and scalar[0] < scalar[1] and not key:
            return scalar
        if (span := spans.keys.get(place) or scalar) is not None:
            return span
        start = spans.starts.get(place)
        if start is None:
            return None
        end = _LINE_END.search(self.text, start)
        return start, len(self.text) if end is None else end.start()

    def _where(self, span: Span) -> Where:
        (line, column), (end_line, end_column) = self._position(span[0]), self._position(max(span))
        return Where(line=line, column=column, end_line=end_line, end_column=end_column)

    def _position(self, index: int) -> tuple[int, int]:
        line = bisect_right(self._line_starts, index)
        return line, index - self._line_starts[line - 1] + 1

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]


def read_written(text: str, *, source: str) -> Written:
    """Reads a text; `source` names it in errors. Raises BadInputError with the line and the column."""
    return Written(text, *parse_with_spans(text, source=source))
