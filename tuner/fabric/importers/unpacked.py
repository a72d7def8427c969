# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Texts as they are or packed by gzip, unpacked up to a limit: a bomb is refused as soon as it has more than that."""

import codecs
import zlib
from collections.abc import Iterator
from pathlib import Path

from tuner.errors import BadInputError
from tuner.fabric.importers.progress import watcher

GZIP = b"\x1f\x8b"
"""The first bytes of what gzip has packed."""

PACKED_LIMIT_BYTES = 64 * 2**20
UNPACKED_LIMIT_BYTES = 512 * 2**20

_MOST_ZEROS = 24
"""Zeros among 32 bytes that no text by UTF-8 has."""
_STEP_BYTES = 2**18
_WITH_HEADER = 16 + zlib.MAX_WBITS


_OTHER_PACKERS = {
    b"\xfd7zXZ\0": ("xz", "xz -dc"),
    b"BZh": ("bzip2", "bzip2 -dc"),
    b"\x28\xb5\x2f\xfd": ("zstd", "zstd -dc"),
    b"PK\x03\x04": ("zip", "unzip -p"),
    b"\x04\x22\x4d\x18": ("lz4", "lz4 -dc"),
    b"7z\xbc\xaf": ("7-Zip", "7z x"),
}
"""First bytes, program, and the command that unpacks."""


def unpacked_text(path: Path, *, source: str, limit_bytes: int = UNPACKED_LIMIT_BYTES) -> str:
    """A file's text, by UTF-8 or UTF-16; bytes that are not stand as U+FFFD, as node descriptions may hold any. Raises
    BadInputError."""
    return decoded(unpacked(path, source=source, limit_bytes=limit_bytes), source=source)


def decoded(content: bytes, *, source: str) -> str:
    """The text of a file, whose first bytes tell its encoding. Raises BadInputError for what another packer than gzip packed, and
    for an archive."""
    for begin, (packer, command) in _OTHER_PACKERS.items():
        if content.startswith(begin):
            raise BadInputError(f"is packed by {packer}; unpack it first, by `{command}`, or pack it by gzip", source=source)
    if content[257:262] == b"ustar":
        raise BadInputError("is a tar archive; take the file out of it first, by `tar -xf`", source=source)
    encoding = "utf-8-sig"
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif content[1:64:2].count(0) > _MOST_ZEROS:  # Latin letters of UTF-16 without a mark
        encoding = "utf-16-le"
    elif content[0:64:2].count(0) > _MOST_ZEROS:
        encoding = "utf-16-be"
    return content.decode(encoding, errors="replace")


def unpacked(path: Path, *, source: str, limit_bytes: int = UNPACKED_LIMIT_BYTES) -> bytes:
    """A file's content, unpacked if gzip has packed it. Raises BadInputError for a file that cannot be read, is damaged, or has
    more than `limit_bytes` when it is unpacked."""
    try:
        total = path.stat().st_size
        with path.open("rb") as file:
            packed = file.read(len(GZIP)) == GZIP
            file.seek(0)
            if not packed:
                _require_within(total, limit_bytes, source)
                return file.read(limit_bytes)
            return _Unpacking(source, limit_bytes, total).whole(iter(lambda: file.read(_STEP_BYTES), b""))
    except OSError as error:
        raise BadInputError(f"cannot be read: {error.strerror}", source=source) from error


class _Unpacking:
    """Files may have several members, one after the other, as parallel packers write them."""

    def __init__(self, source: str, limit_bytes: int, packed_bytes: int) -> None:
        self._source, self._limit_bytes, self._packed_bytes = source, limit_bytes, packed_bytes
        self._found = bytearray()

    def whole(self, chunks: Iterator[bytes]) -> bytes:
        member = zlib.decompressobj(_WITH_HEADER)
        on_fraction, done = watcher(), 0
        for chunk in chunks:
            rest: bytes = chunk
            while rest:
                if member.eof:
                    if not rest.strip(b"\0"):  # padding of tapes and block devices
                        break
                    member = zlib.decompressobj(_WITH_HEADER)
                rest = self._step(member, rest)
            done += len(chunk)
            if on_fraction is not None:
                on_fraction(done / self._packed_bytes)
        if not member.eof:
            raise BadInputError("is cut short: its gzip data has no end", source=self._source)
        return bytes(self._found)

    def _step(self, member: "zlib._Decompress", packed: bytes) -> bytes:
        """Unpacks no more than a step's bytes, so that a bomb takes no memory; returns what is left to unpack."""
        try:
            self._found += member.decompress(packed, _STEP_BYTES)
        except zlib.error as error:
            raise BadInputError(f"is damaged: it is not what gzip packs ({error})", source=self._source) from error
        _require_within(len(self._found), self._limit_bytes, self._source)
        return member.unused_data if member.eof else member.unconsumed_tail


def _require_within(size: int, limit_bytes: int, source: str) -> None:
    if size > limit_bytes:
        raise BadInputError(
            f"has more than {limit_bytes:,} bytes, the most that are read; 'ibcc fabric import' makes a fabric document of it, "
            "which is shorter",
            source=source,
        )
