# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Lines of a bounded length from a stream."""

import asyncio
from collections.abc import AsyncIterator

_READ_BYTES = 1 << 16


async def lines(reader: asyncio.StreamReader, max_bytes: int) -> AsyncIterator[bytes | None]:
    """Each line without its end; None for one that is longer than `max_bytes`, its end included, of which nothing is kept. What
    stands behind the last end of line when the stream ends is no line."""
    held = bytearray()
    skipping = False
    while more := await reader.read(_READ_BYTES):
        held += more
        begin = 0
        while (end := held.find(b"\n", begin)) >= 0:
            whole = not skipping and end - begin < max_bytes
            yield bytes(held[begin:end]) if whole else None
            skipping = False
            begin = end + 1
        del held[:begin]
        if len(held) >= max_bytes:
            skipping = True
        if skipping:
            held.clear()
