# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Gives the keys of a document's text their new names, and leaves everything else in it as it is: comments, order, quotes."""

from collections.abc import Sequence

from tuner.document_base.renames import RENAMES, Change, Place
from tuner.document_base.yaml_core import Span, new_keys, parse_as_written
from tuner.errors import BadInputError

_BYTE_ORDER_MARK = "\ufeff"
_OLD_WORDS = frozenset(rename.old.split(".")[-1] for rename in RENAMES)
"""A text with none of them has no old key, and need not be read: a fabric's has megabytes."""


def upgraded(text: str, *, source: str) -> tuple[str, list[Change]]:
    """The text with today's keys, and what was changed in it. Raises BadInputError if it may have old keys and is not one
    document, or if a key is given by both of its names."""
    if not any(word in text for word in _OLD_WORDS):
        return text, []
    mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    text = text.removeprefix(mark)
    document, spans = parse_as_written(text, source=source)
    wanted, changes = new_keys(document)
    if not changes:
        return mark + text, []
    rewritten = _rewritten(text, changes, spans.keys)
    if parse_as_written(rewritten, source=source)[0] != wanted:
        lines = ", ".join(str(line) for line in sorted({document.line_of(change.place) or 0 for change in changes}))
        raise BadInputError(
            f"cannot be rewritten, as a key is written in an unusual way; rename it by hand: line {lines}", source=source
        )
    return mark + rewritten, changes


def _rewritten(text: str, changes: Sequence[Change], spans: dict[Place, Span]) -> str:
    names = {spans[change.place]: (str(change.place[-1]), change.key) for change in changes}
    for (begin, end), (old, new) in sorted(names.items(), reverse=True):
        text = text[:begin] + text[begin:end].replace(old, new) + text[end:]
    return text
