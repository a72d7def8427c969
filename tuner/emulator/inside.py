# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Programs on an emulated fabric: what attaches them, and one of them as a child of this process."""

import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType

from tuner.errors import BadInputError
from tuner.opensm.preload import client_environment

_FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
_FROM_TERMINALS = (signal.SIGINT, signal.SIGQUIT)


def environment(name: str, folder: Path, host: str | None = None) -> dict[str, str]:
    """Returns the environment variables that attach a program to the fabric of that name. `folder`: for the files that OpenSM
    otherwise puts into /var. `host`: the node to attach it to. Raises BadInputError if Debian's client is not installed."""
    return client_environment(name, host) | {"OSM_TMP_DIR": str(folder), "OSM_CACHE_DIR": str(folder)}


def run_inside(command: Sequence[str], variables: Mapping[str, str]) -> int:
    """Runs a program to its end and passes signals on to it. Returns its exit status, as shells have it: 128 and the number of
    the signal that has ended it. Raises BadInputError if it cannot be run."""
    process: subprocess.Popen[bytes] | None = None
    early: list[int] = []

    def forward(number: int, frame: FrameType | None) -> None:
        if process is None:
            early.append(number)
        elif not (number in _FROM_TERMINALS and _in_foreground()):
            process.send_signal(number)

    before: dict[signal.Signals, object] = {}
    if threading.current_thread() is threading.main_thread():
        # Before it begins: a signal in between would end this process, and leave the program alone.
        before = {number: signal.signal(number, forward) for number in _FORWARDED}
    try:
        process = subprocess.Popen(list(command), env=dict(variables))
        for number in early:
            forward(number, None)
        status = process.wait()
    except OSError as error:
        raise BadInputError(f"cannot run '{command[0]}': {error.strerror}") from error
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
    return status if status >= 0 else 128 - status


def _in_foreground() -> bool:
    """True if a terminal's keys send their signals to this process, and thereby to its children too."""
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False
