# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Reads the plugin's key file (docs/operate/plugin-keys.md), for programs that ask devices themselves. Errors quote nothing of
it."""

import os
import re
import stat
from pathlib import Path

from tuner.errors import BadInputError

_LINE = re.compile(r"\s*(?P<name>\w+)\s*:\s*(?P<value>.*?)\s*")
_COMMENT = re.compile(r"(^|[ \t])#.*")
_KEY = re.compile(r"0x[0-9a-fA-F]{1,16}")
_KEYS = ("current", "next", "previous")
_OTHERS = ("protect", "lease_period_s")
_MAX_BYTES = 4096


def read_keys(path: Path) -> list[int]:
    """Returns the keys that devices may have, the likeliest first, each once and without 0, which stands for no key.

    Raises BadInputError for a file that cannot be read, that others may read too, or that the plugin would not take.
    """
    found: dict[str, int] = {}
    for number, line in enumerate(_lines(path), 1):
        text = _COMMENT.sub("", line).strip()
        if text in ("", "---"):
            continue
        parts = _LINE.fullmatch(text)
        name = "" if parts is None else parts["name"]
        if parts is None or name not in (*_KEYS, *_OTHERS):
            begins = ", ".join(f"{one}:" for one in (*_KEYS, *_OTHERS))
            raise BadInputError(f"IBCC0871: {path}:{number}: this line must begin with one of {begins}")
        if name in found:
            raise BadInputError(f"IBCC0871: {path}:{number}: {name} is given twice, but must be given once")
        if name in _KEYS and not _KEY.fullmatch(parts["value"]):
            raise BadInputError(f"IBCC0871: {path}:{number}: {name} must be 0x and 1 to 16 hexadecimal digits")
        found[name] = int(parts["value"], 16) if name in _KEYS else 0
    if "current" not in found:
        raise BadInputError(f"IBCC0871: {path}: the file lacks current, the key of all devices")
    return [key for key in dict.fromkeys(found[name] for name in _KEYS if name in found) if key]


def _lines(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or stat.S_IMODE(status.st_mode) & 0o077:
                raise BadInputError(f"IBCC0871: {path} must be a regular file that only its owner may read (mode 0600)")
            content = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise BadInputError(f"IBCC0871: {path} cannot be read: {error.strerror}") from error
    if len(content) > _MAX_BYTES:
        raise BadInputError(f"IBCC0871: {path} has more than {_MAX_BYTES} bytes, and so is no key file")
    return content.decode(errors="replace").splitlines()
