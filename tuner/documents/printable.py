# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Names that others gave, made fit for a sentence, a terminal or a drawing: they may be long and hold any character."""


def printable(text: str) -> str:
    """Returns the text with `?` for control characters and what else fonts, XML and terminals have no way to write."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def shortened(text: str, most: int) -> str:
    """Returns the printable text, cut after `most` characters, with an ellipsis in place of the rest."""
    shown = printable(text[:most])
    return shown if len(text) <= most else f"{shown}…"
