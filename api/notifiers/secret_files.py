# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Files of secrets that the settings name."""

import base64
import binascii
import stat
from pathlib import Path

from tuner.errors import BadInputError

_MOST_BYTES = 4096
_PREFIX = "whsec_"


def read_secret(path: Path, name: str) -> str:
    """Returns the text of the file that the setting `name` names. Raises BadInputError, also if everybody may read it."""
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise BadInputError(f"{name} = {path}: it is not a regular file")
        if mode & stat.S_IROTH:
            raise BadInputError(f"{name} = {path}: everybody on this machine may read it; `chmod o= {path}` would be right")
        with path.open("rb") as file:
            raw = file.read(_MOST_BYTES + 1)
        text = raw.decode()
    except OSError as error:
        raise BadInputError(f"{name} = {path}: {error.strerror}; give a file that the service may read") from error
    except UnicodeDecodeError:
        raise BadInputError(f"{name} = {path}: it is not UTF-8 text") from None
    if len(raw) > _MOST_BYTES:
        raise BadInputError(f"{name} = {path}: it has more than {_MOST_BYTES} bytes")
    return text


def read_key(path: Path, name: str) -> bytes:
    """Returns the key of a webhook, 24 to 64 bytes, from a line such as `whsec_MfKQ…`. Raises BadInputError."""
    text = read_secret(path, name).strip()
    try:
        key = base64.b64decode(text.removeprefix(_PREFIX), validate=True)
    except (ValueError, binascii.Error):
        key = b""
    if not text.startswith(_PREFIX) or not 24 <= len(key) <= 64:
        raise BadInputError(
            f"{name} = {path}: it is not `{_PREFIX}` and the base64 of 24 to 64 bytes; "
            f'`echo "{_PREFIX}$(openssl rand -base64 32)"` makes one'
        )
    return key


def read_login(path: Path, name: str) -> tuple[str, str]:
    """Returns the user's name and the password from the file's two lines. Raises BadInputError."""
    lines = read_secret(path, name).rstrip("\n").split("\n")
    if len(lines) != 2 or not all(lines):
        raise BadInputError(f"{name} = {path}: it must have the user's name in the first line and the password in the second")
    return lines[0], lines[1]
