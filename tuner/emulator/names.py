# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Names of emulated fabrics, and where their control sockets lie."""

import os
import re
import stat
import tempfile
from pathlib import Path

from tuner.errors import BadInputError

DEFAULT_NAME = "sim"
"""Name of the fabric that clients look for if IBSIM_SOCKNAME is not set."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_MAX_PATH_BYTES = 107
"""Longest path of a Unix socket (sockaddr_un), without the zero at its end."""


def check_name(name: str) -> str:
    """The name. Raises BadInputError for one that is not 1 to 63 letters, digits, dots, dashes and underscores."""
    if not _NAME.fullmatch(name):
        raise BadInputError(
            f"'{name}' cannot name an emulated fabric; a name is 1 to 63 letters, digits, dots, dashes and underscores, "
            "the first of them a letter or digit"
        )
    return name


def runtime_folder() -> Path:
    """Returns the folder of this user's control sockets: $XDG_RUNTIME_DIR/ibcc, or without that variable ibcc-UID in the folder
    for temporary files."""
    base = os.environ.get("XDG_RUNTIME_DIR")
    return Path(base, "ibcc") if base else Path(tempfile.gettempdir(), f"ibcc-{os.getuid()}")


def control_socket(name: str) -> Path:
    """The control socket of the fabric of that name. Raises BadInputError."""
    path = runtime_folder() / f"{check_name(name)}.sock"
    if len(os.fsencode(path)) > _MAX_PATH_BYTES:
        raise BadInputError(
            f"the control socket {path} would have a path of {len(os.fsencode(path))} bytes, and sockets have {_MAX_PATH_BYTES}; "
            "set XDG_RUNTIME_DIR to a shorter one"
        )
    return path


def make_runtime_folder() -> Path:
    """The folder, made for this user alone if it is not there. Raises BadInputError if others could put sockets into it."""
    folder = runtime_folder()
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise BadInputError(f"cannot make the folder {folder} for control sockets: {error.strerror}") from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise BadInputError(f"{folder} is not a folder that only you can write to, so it cannot hold control sockets")
    return folder
