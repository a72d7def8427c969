# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Text of others, such as node descriptions, made safe to be sent on: one line, no control characters, bounded."""

import re

from tuner.documents.printable import printable

CUT = "…"


def plain(text: str, length: int) -> str:
    """Returns at most `length` characters of `text` on one line, with visible escapes for what would not be shown."""
    short = text[: 4 * length + 16]  # a name may have megabytes
    shown = printable(re.sub(r"\s+", " ", short).strip())
    return shown if len(shown) <= length and len(short) == len(text) else shown[: length - 1] + CUT


def ascii_only(text: str, length: int) -> str:
    """Returns at most `length` printable ASCII characters without spaces, `?` for all others; `-` if nothing is left."""
    return "".join(one if "!" <= one <= "~" else "?" for one in text[:length]) or "-"
