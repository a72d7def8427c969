# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Files as they are or packed, up to a limit."""

import gzip
import tracemalloc
from pathlib import Path

import pytest

from tuner.errors import BadInputError
from tuner.fabric.importers.progress import watched_by
from tuner.fabric.importers.unpacked import unpacked, unpacked_text

TEXT = b"Switch 36 \xff \n" * 1000


@pytest.mark.parametrize(
    "content",
    [
        TEXT,
        gzip.compress(TEXT, mtime=0),
        gzip.compress(TEXT[:5000], mtime=0) + gzip.compress(TEXT[5000:], mtime=0),
        gzip.compress(TEXT, mtime=0) + b"\0" * 512,
    ],
)
def test_what_was_packed_comes_back(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "x"
    file.write_bytes(content)
    assert unpacked(file, source="x") == TEXT
    assert unpacked_text(file, source="x").count("\ufffd") == 1000


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (gzip.compress(TEXT, mtime=0)[:-1], "is cut short"),
        (gzip.compress(TEXT, mtime=0)[:12], "is cut short"),
        (b"\x1f\x8b", "is cut short"),
        (b"\x1f\x8b" + b"x" * 100, "is damaged"),
        (gzip.compress(TEXT, mtime=0) + b"more", "is damaged"),
        (gzip.compress(TEXT, mtime=0)[:-8] + b"\0" * 8, "is damaged"),
    ],
)
def test_damage_is_told(tmp_path: Path, content: bytes, sentence: str) -> None:
    file = tmp_path / "x"
    file.write_bytes(content)
    with pytest.raises(BadInputError, match=sentence):
        unpacked(file, source="x")


def test_a_bomb_takes_no_memory(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(gzip.compress(b" " * 2**26, mtime=0))
    tracemalloc.start()
    try:
        with pytest.raises(BadInputError, match="has more than 1,048,576 bytes"):
            unpacked(file, source="x", limit_bytes=2**20)
        assert tracemalloc.get_traced_memory()[1] < 2**23
    finally:
        tracemalloc.stop()


def test_the_limit_is_the_last_that_is_read(tmp_path: Path) -> None:
    for content in (TEXT, gzip.compress(TEXT, mtime=0)):
        file = tmp_path / "x"
        file.write_bytes(content)
        assert unpacked(file, source="x", limit_bytes=len(TEXT)) == TEXT
        with pytest.raises(BadInputError, match="has more than"):
            unpacked(file, source="x", limit_bytes=len(TEXT) - 1)


def test_progress_is_told_to_the_end(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(gzip.compress(TEXT, mtime=0))
    told: list[float] = []
    with watched_by(told.append):
        unpacked(file, source="x")
    assert told[-1] == 1.0


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be read: Is a directory"):
        unpacked(tmp_path, source="x")
