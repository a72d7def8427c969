# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Identity of a process that works or watches: host, process and the time when that process began. Others on the same host can
find out whether it still runs, and need not wait for its lease to end after a kill -9."""

import os
from pathlib import Path

from api.base.identifiers import new_id, this_host


def own_identity() -> str:
    """`HOST|PID|START|NONCE`."""
    return "|".join((this_host(), str(os.getpid()), str(_start(os.getpid())), new_id()[-8:]))


def is_gone(identity: str) -> bool:
    """True if that process was on this host and has ended. False also for one of another host, of which this host cannot know."""
    host, pid, start, _ = identity.split("|")
    return host == this_host() and str(_start(int(pid))) != start


def _start(pid: int) -> str | None:
    """Returns the time at which the process began, in clock ticks since boot, or None if it does not exist or is a zombie. See
    proc(5), stat."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]
