# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A process between a program and whoever started it: `python guard.py FOLDER COMMAND…`.

Standard input is a pipe that nobody writes to. It ends when the starter does, however that ends, and then the guard kills the
program and deletes FOLDER. The program dies with the guard too. SIGTERM is passed on; the exit status is the program's. The guard
is in a session of its own, so that a terminal's Ctrl-C reaches the starter alone.

It runs by itself, without this package, in a Python without site-packages, so that it starts within some milliseconds.
"""

import ctypes
import os
import select
import shutil
import signal
import sys

PRELOAD = "IBCC_GUARDED_PRELOAD"
"""Environment variable: LD_PRELOAD of the program, which is none of the guard's."""
_PR_SET_PDEATHSIG = 1


def main(folder: str, command: "list[str]") -> int:
    """Returns the program's wait status."""
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    asked = []
    signal.signal(signal.SIGTERM, lambda number, frame: asked.append(number))
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    program = _started(command)
    while True:
        ended, status = os.waitpid(program, os.WNOHANG)
        if ended:
            return status
        if asked:
            asked.clear()
            os.kill(program, signal.SIGTERM)
        ready, _, _ = select.select([0, woken], [], [])
        if woken in ready:
            os.read(woken, 64)
        if 0 in ready and not os.read(0, 64):
            os.kill(program, signal.SIGKILL)
            _, status = os.waitpid(program, 0)
            shutil.rmtree(folder, ignore_errors=True)
            return status


def _started(command: "list[str]") -> int:
    prctl = ctypes.CDLL(None).prctl
    guard = os.getpid()
    program = os.fork()
    if program:
        return program
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != guard:
        os._exit(1)
    environment = dict(os.environ)
    if preload := environment.pop(PRELOAD, ""):
        environment["LD_PRELOAD"] = preload
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    try:
        os.execvpe(command[0], command, environment)
    except OSError as error:
        print(f"cannot run '{command[0]}': {error.strerror}", flush=True)
    os._exit(127)


if __name__ == "__main__":
    ending = main(sys.argv[1], sys.argv[2:])
    if os.WIFSIGNALED(ending):
        number = os.WTERMSIG(ending)
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    sys.exit(os.waitstatus_to_exitcode(ending))
