# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Who a worker is: host, process and the time that process began. On the same host others can tell whether it still lives, and
need not wait for its lease to run out after a kill -9."""

import os
import socket
from pathlib import Path

from api.identifiers import new_id


def own_identity() -> str:
    """`HOST|PID|START|NONCE`."""
    return "|".join((_host(), str(os.getpid()), str(_start(os.getpid())), new_id()[-8:]))


def is_gone(identity: str) -> bool:
    """Whether that worker is surely dead: its process was on this host, and is no more. False where nobody here can tell."""
    host, pid, start, _ = identity.split("|")
    return host == _host() and str(_start(int(pid))) != start


def _host() -> str:
    """The machine and its boot: a process of before the last boot is not here. Containers of one machine share the boot's
    identifier but not their processes, hence the name too, which a container has of its own."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()[:8]
        namespace = os.readlink("/proc/self/ns/pid").partition("[")[2].rstrip("]")
    except OSError:
        boot = namespace = "unknown"
    return f"{socket.gethostname()}/{boot}/{namespace}"


def _start(pid: int) -> str | None:
    """When the process began, in clock ticks since boot; None: there is none, or it is a zombie. See proc(5), stat."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]
