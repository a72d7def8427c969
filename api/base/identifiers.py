# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Identifiers of what the service makes, and secrets."""

import hashlib
import os
import secrets
import socket
import threading
import time
from pathlib import Path

_lock = threading.Lock()
_newest = 0


def new_id() -> str:
    """A UUID of version 7 (RFC 9562, 5.7) in hexadecimal: 32 digits that sort by the time of making, to a quarter of a
    microsecond (6.2, method 3), and those of one process always in the order of making, should the clock be set back (6.2, the
    last paragraph)."""
    global _newest
    with _lock:
        _newest = max(time.time_ns() * 4096 // 1_000_000, _newest + 1)
        milliseconds, fraction = divmod(_newest, 4096)
    value = milliseconds << 80 | 0x7 << 76 | fraction << 64 | 0b10 << 62 | secrets.randbits(62)
    return f"{value:032x}"


def new_secret() -> str:
    """256 random bits, in letters, digits, `-` and `_`."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    """Returns the digest that is stored in place of a random secret. One round of SHA-256 is enough: nobody can guess 256 bits,
    however fast."""
    return hashlib.sha256(secret.encode()).hexdigest()


def this_host() -> str:
    """The machine and its boot: a process of before the last boot is not here. Containers of one machine share the boot's
    identifier but not their processes, hence the name too, which a container has of its own."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()[:8]
        namespace = os.readlink("/proc/self/ns/pid").partition("[")[2].rstrip("]")
    except OSError:
        boot = namespace = "unknown"
    return f"{socket.gethostname()}/{boot}/{namespace}"
