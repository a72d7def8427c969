# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Names that others gave, made fit for a sentence, a page, a terminal or a drawing: they may be long and hold any character."""

_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def printable(text: str) -> str:
    r"""Returns the text with escapes, as Python and JSON write them, for characters that are not printable: control characters,
    changes of the direction of writing, unusual spaces, lone surrogates. A newline is `\n`, U+202E is `\u202e`."""
    return text if text.isprintable() else "".join(one if one.isprintable() else _escape(one) for one in text)


def printable_lines(text: str) -> str:
    """Returns the text with its newlines, and each line printable."""
    return "\n".join(map(printable, text.split("\n")))


def shortened(text: str, most: int) -> str:
    """Returns the printable text; what is after its first `most` characters is an ellipsis. An escape counts as one character."""
    shown = printable(text[:most])
    return shown if len(text) <= most else f"{shown}…"


def _escape(letter: str) -> str:
    code = ord(letter)
    return _SHORT.get(letter) or (f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}")
