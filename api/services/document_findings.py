# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Finds all problems of a document's text with their places, and raises none of them."""

import re
from copy import copy
from typing import TypeVar

from api.documents.validation import DocumentProblem
from tuner.document_base.model import MOST_PROBLEMS, DocumentModel, describe_place, examine
from tuner.document_base.model import DocumentProblem as Found
from tuner.document_base.written import Where, Written, read_written
from tuner.document_base.yaml_core import Document, Place
from tuner.errors import BadInputError

M = TypeVar("M", bound=DocumentModel)

_PLACE = re.compile(r"[A-Za-z_]\w*(\.\w+|\[\d{1,9}\])*(?=[ :])", re.ASCII)

MOST_CHARACTERS = 1000
"""Maximum length of one problem's sentence, which may quote the document."""


class Findings:
    """Problems found so far. `written` is the text and its document; None: the text could not be read."""

    def __init__(self, text: str, *, most_bytes: int, what: str) -> None:
        """`what`: the kind of document, with its article."""
        self.problems: list[DocumentProblem] = []
        self.warnings: list[DocumentProblem] = []
        self.written: Written | None = None
        size = len(text.encode(errors="surrogatepass"))
        if size > most_bytes:
            self._note(f"document has {size:,} bytes; {what} has at most {most_bytes:,}", (), None)
            return
        try:
            self.written = read_written(text, source="document")
        except BadInputError as error:
            self.add_error(error)
            return

    def aside(self) -> "Findings":
        """Notes go among the warnings."""
        other = copy(self)
        other.problems = self.warnings
        return other

    @property
    def valid(self) -> bool:
        return not self.problems

    def examined(self, model: type[M], document: Document) -> M | None:
        """The model that the document is; None, and its problems are noted, if it is none. `document`: the text's, maybe with
        other values in some places."""
        found, problems = examine(model, document)
        for one in problems:
            self.add(one)
        return found

    def add(self, one: Found) -> None:
        where = None if self.written is None else self.written.where(one.place, key=one.is_key)
        self._note(one.sentence, one.place, where)

    def add_at(self, place: Place, sentence: str) -> None:
        self.add(Found(place, sentence))

    def add_error(self, error: BadInputError) -> None:
        """Its line, if it has one, is one of the text; otherwise the place with which its sentence begins is taken."""
        if error.line is None:
            self.add_at(self._place_said(error.sentence), error.sentence)
        elif self.written is None or error.column is not None:
            where = Where(line=error.line, column=error.column or 1, end_line=error.line, end_column=error.column or 1)
            self._note(error.sentence, (), where)
        else:
            self.add_at(self.written.place_at(error.line), error.sentence)

    def _place_said(self, sentence: str) -> Place:
        """The place with which a sentence begins, such as `kinds[0].profile`; of none, the whole document."""
        said = _PLACE.match(sentence)
        steps = [] if said is None else re.findall(r"\w+", said[0])
        place = tuple(int(step) if step.isdecimal() else step for step in steps)
        return place if self.written is not None and place in self.written.document.lines else ()

    def _note(self, sentence: str, place: Place, where: Where | None) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(_problem(sentence, place, where))


def _problem(sentence: str, place: Place, where: Where | None) -> DocumentProblem:
    return DocumentProblem(
        path=describe_place(place)[:MOST_CHARACTERS],
        line=None if where is None else where.line,
        column=None if where is None else where.column,
        end_line=None if where is None else where.end_line,
        end_column=None if where is None else where.end_column,
        detail=sentence if len(sentence) <= MOST_CHARACTERS else f"{sentence[: MOST_CHARACTERS - 1]}…",
    )
