# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Reads one YAML or JSON document by the YAML 1.2 core rules and remembers on which line each value stands.

PyYAML splits the text into events; the meaning of a scalar is decided here, because PyYAML's own rules are those of YAML 1.1,
which read `off` as false, `3:16` as 196 and `0150` as 104. Anchors, aliases, tags and duplicate keys are refused: each of them
makes a document mean something else than what it looks like. Keys are always text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import yaml

from tuner.errors import BadInputError

Place: TypeAlias = tuple[str | int, ...]
"""Place of a value in its document: the keys and list positions that lead to it."""
Value: TypeAlias = "bool | int | float | str | list[Value] | dict[str, Value] | None"
Span: TypeAlias = tuple[int, int]
"""Start and end of a part of a text, in characters."""

MAX_DEPTH = 32

_NULL = {"", "~", "null", "Null", "NULL"}
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_DECIMAL = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITY = re.compile(r"[-+]?\.(inf|Inf|INF)")
_NAN = {".nan", ".NaN", ".NAN"}

# libyaml's parser where PyYAML was built with it: a fabric of a thousand links takes 0.1 s instead of 2 s.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Document:
    """Content of one file. `lines` holds the line (from 1) of each mapping entry's key and of each list item; it is empty for
    values that come from no text."""

    source: str | None
    value: Value
    lines: dict[Place, int]

    def line_of(self, place: Place) -> int | None:
        """The line of the value at `place`, or of the nearest value around it that the document has; None if it has no lines."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place)


@dataclass(frozen=True)
class Spans:
    """Where the parts of a document stand in its text."""

    keys: dict[Place, Span] = field(default_factory=dict)
    """The key of each mapping entry, without its colon."""
    scalars: dict[Place, Span] = field(default_factory=dict)
    """Each value that is neither a list nor a mapping."""
    starts: dict[Place, int] = field(default_factory=dict)
    """Where each list and mapping starts."""


def read_document(path: Path) -> Document:
    """Reads a file. Raises BadInputError if it cannot be read or is not one YAML document."""
    return parse_document(read_text(path), source=str(path))


def read_text(path: Path, *, newline: str | None = None) -> str:
    """A file's text; `newline`: as of open(). Raises BadInputError if it cannot be read or is no text."""
    try:
        with path.open(encoding="utf-8", newline=newline) as file:
            return file.read()
    except OSError as error:
        raise BadInputError(f"cannot be read: {error.strerror}", source=str(path)) from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"is not UTF-8 text (byte {error.start})", source=str(path)) from error


def parse_document(text: str, *, source: str) -> Document:
    """Reads a text; `source` names it in errors. Raises BadInputError with the line."""
    return _parsed(text, source, None)


def parse_with_spans(text: str, *, source: str) -> tuple[Document, Spans]:
    """The document, and where in its text the parts stand. Raises BadInputError with the line."""
    spans = Spans()
    return _parsed(text, source, spans), spans


def _parsed(text: str, source: str, spans: Spans | None) -> Document:
    """`spans`: filled, if it is given."""
    reader = _Reader(text, source, spans)
    try:
        return reader.document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (None, None)
        raise BadInputError(
            f"not valid YAML: {error.problem or error.context}", source=source, line=line, column=column
        ) from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise BadInputError(f"not valid YAML: {error.reason}", source=source, line=line) from error


def plain_scalar(text: str) -> bool | int | float | str | None:
    """Returns the value of an unquoted scalar by the YAML 1.2 core schema (YAML 1.2.2, section 10.3.2). Raises ValueError."""
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if _DECIMAL.fullmatch(text):
        return int(text)
    if _OCTAL.fullmatch(text):
        return int(text[2:], 8)
    if _HEXADECIMAL.fullmatch(text):
        return int(text[2:], 16)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _INFINITY.fullmatch(text):
        return float("-inf") if text.startswith("-") else float("inf")
    if text in _NAN:
        return float("nan")
    return text


class _Reader:
    def __init__(self, text: str, source: str, spans: Spans | None) -> None:
        self._source = source
        self._lines: dict[Place, int] = {}
        self._spans = spans
        self._events: Iterator[yaml.Event] = iter(yaml.parse(text, Loader=_LOADER))

    def document(self) -> Document:
        self._take()  # the stream's start
        event = self._take()
        if isinstance(event, yaml.StreamEndEvent):
            raise BadInputError("is empty", source=self._source)
        value = self._value(self._take(), ())
        self._take()  # the document's end
        event = self._take()
        if not isinstance(event, yaml.StreamEndEvent):
            raise self._error("a second document starts here; one is expected", event)
        return Document(source=self._source, value=value, lines=self._lines)

    def _take(self) -> yaml.Event:
        return next(self._events)

    def _error(self, sentence: str, event: yaml.Event) -> BadInputError:
        assert event.start_mark is not None
        return BadInputError(sentence, source=self._source, line=_line(event), column=event.start_mark.column + 1)

    def _value(self, event: yaml.Event, place: Place) -> Value:
        self._lines.setdefault(place, _line(event))
        if len(place) > MAX_DEPTH:
            raise self._error(f"is nested more than {MAX_DEPTH} levels deep", event)
        self._refuse_decoration(event)
        if isinstance(event, yaml.ScalarEvent):
            if self._spans is not None:
                self._spans.scalars[place] = _span(event)
            return self._scalar(event)
        if self._spans is not None:
            self._spans.starts[place] = _span(event)[0]
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(place)
        return self._mapping(place)

    def _refuse_decoration(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.AliasEvent):
            raise self._error(f"alias *{event.anchor} is not allowed; write the value out", event)
        if isinstance(event, yaml.NodeEvent) and event.anchor is not None:
            raise self._error(f"anchor &{event.anchor} is not allowed; write each value where it is used", event)
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise self._error(f"tag {tag} is not allowed; write plain values", event)

    def _scalar(self, event: yaml.ScalarEvent) -> Value:
        text: str = event.value
        if not event.implicit[0]:  # quoted or a block scalar
            return text
        try:
            return plain_scalar(text)
        except ValueError as error:  # Python refuses integers of thousands of digits
            raise self._error(f"a number of {len(text)} digits is out of range", event) from error

    def _sequence(self, place: Place) -> list[Value]:
        items: list[Value] = []
        while not isinstance(event := self._take(), yaml.SequenceEndEvent):
            items.append(self._value(event, (*place, len(items))))
        return items

    def _mapping(self, place: Place) -> dict[str, Value]:
        entries: dict[str, Value] = {}
        while not isinstance(event := self._take(), yaml.MappingEndEvent):
            self._refuse_decoration(event)
            if not isinstance(event, yaml.ScalarEvent):
                raise self._error("a key must be a word, not a list or a mapping", event)
            key: str = event.value
            if key in entries:
                first = self._lines[(*place, key)]
                raise self._error(f"key '{key}' is given twice; the first is on line {first}", event)
            self._lines[(*place, key)] = _line(event)
            if self._spans is not None:
                self._spans.keys[(*place, key)] = _span(event)
            entries[key] = self._value(self._take(), (*place, key))
        return entries


def _span(event: yaml.Event) -> Span:
    assert event.start_mark is not None
    assert event.end_mark is not None
    return event.start_mark.index, event.end_mark.index


def _line(event: yaml.Event) -> int:
    assert event.start_mark is not None  # PyYAML marks every event that it parses
    return event.start_mark.line + 1
