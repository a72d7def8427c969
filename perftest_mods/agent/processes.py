# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Processes that watch each other, and the end of all that they have started."""

import contextlib
import ctypes
import os
import signal
import time

from ibcc_agent.values import FAILED

TERM_S = 2.0
KILL_S = 5.0
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
libc = ctypes.CDLL(None, use_errno=True)


def die_with(parent, number):
    """The calling process gets a signal when its parent ends; it ends if that has happened already."""
    libc.prctl(PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os._exit(FAILED)


def descendants():
    """Pids of all processes that come from this one and have not ended."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    fields_after_name = file.read().rpartition(b")")[2].split()
            except OSError:
                continue
            if fields_after_name[0] not in (b"Z", b"X"):
                parents[int(name)] = int(fields_after_name[1])
    found, grown = {os.getpid()}, True
    while grown:
        grown = {pid for pid, parent in parents.items() if parent in found} - found
        found |= grown
    return found - {os.getpid()}


def has_children():
    """Reaps children that have ended, and returns True if any child lives. Without a child there are no descendants either: a
    process that loses its parent is adopted by this one."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def kill_descendants():
    """Kills until none is left, for KILL_S at most. Returns how many are: some may wait for a device that does not answer."""
    until = time.monotonic() + KILL_S
    while has_children():
        left = descendants()
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > until:
            return len(left)
        time.sleep(0.01)
    return 0


def step_back(child):
    """Signals are the child's from now on, and so are standard input and output: whoever reads them must see them end when it
    ends."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, frame: os.kill(child, signal.SIGTERM))
    silence = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1):
        os.dup2(silence, fd)
    os.close(silence)
