# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import asyncio

from hypothesis import given
from hypothesis import strategies as st

from tuner.emulator.lines import lines

LIMIT = 10


def read(chunks: list[bytes], limit: int = LIMIT) -> list[bytes | None]:
    async def collect() -> list[bytes | None]:
        reader = asyncio.StreamReader()
        feeding = asyncio.create_task(feed(reader))
        found = [line async for line in lines(reader, limit)]
        await feeding
        return found

    async def feed(reader: asyncio.StreamReader) -> None:
        for chunk in chunks:
            reader.feed_data(chunk)
            await asyncio.sleep(0)  # so that chunks are read one by one
        reader.feed_eof()

    return asyncio.run(collect())


def test_lines_come_whole_however_they_arrive() -> None:
    assert read([b"a", b"b\nc", b"d\n", b"\n"]) == [b"ab", b"cd", b""]


def test_a_line_may_be_as_long_as_the_limit() -> None:
    assert read([b"123456789\n"]) == [b"123456789"]
    assert read([b"1234567890\n"]) == [None]


def test_what_is_too_long_is_passed_over_and_the_next_line_is_there() -> None:
    assert read([b"x" * 7, b"x" * 7, b"x" * 50, b"\nab\n"]) == [None, b"ab"]


def test_what_has_no_end_is_no_line() -> None:
    assert read([b"ab\ncd"]) == [b"ab"]
    assert read([b"x" * 40]) == []


@given(st.lists(st.binary(max_size=25)))
def test_chunks_do_not_matter(chunks: list[bytes]) -> None:
    whole = b"".join(chunks).split(b"\n")[:-1]
    assert read([chunk for chunk in chunks if chunk]) == [line if len(line) < LIMIT else None for line in whole]
