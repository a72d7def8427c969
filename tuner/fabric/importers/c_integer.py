# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Numbers as programs in C read them when they leave the base open: 0x10 is 16, 010 is 8, 10 is 10."""

C_INTEGER = "0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20}"
"""A pattern for such numbers of up to 64 bits."""


def c_integer(text: str) -> int:
    """Raises ValueError with a sentence for digits that the base does not have, and beyond 64 bits."""
    base = 16 if text[:2] in ("0x", "0X") else 8 if text.startswith("0") else 10
    try:
        value = int(text, base)
    except ValueError as error:
        raise ValueError(f"'{text}' is not a number; one that begins with 0 is octal") from error
    if value >= 2**64:
        raise ValueError(f"{text} is out of range; there are 64 bits")
    return value
