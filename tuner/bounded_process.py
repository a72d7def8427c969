# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A module of ibcc in a process of its own, bounded in memory and time, for the service: its threads must not wait for it.

Python holds the interpreter's lock while it computes, and a thread's memory cannot be bounded. A process has a limit of memory
that cannot take the service with it, and leaves the processor to the service's threads. If this process is killed, the standard
input of the other one ends.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from tuner.errors import BadInputError, IbccError

OnTold: TypeAlias = Callable[[dict[str, Any]], None]
"""Told the last object that the process has printed."""

_LOOK_S = 0.1
_ERROR_BYTES = 2000


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Limits of a process, and what is said to people where they are reached."""

    time_s: float
    end_s: float = 0.0
    """Time that the process gets to end what it has started, after SIGTERM, before it is killed."""
    too_long: str
    too_much: str
    """It needs more memory than the limit that it sets itself."""
    process: str
    """What ended unexpectedly, such as `the process that reads a file`."""
    refusal: type[BadInputError] = BadInputError
    """Error with which these sentences and the process's own are raised."""


def run_bounded(module: str, folder: Path, bounds: Bounds, *, on_told: OnTold, should_stop: Callable[[], bool]) -> bool:
    """Runs `python -m module folder`, which prints a JSON object a line: what it does, or `{"problem": …}`.

    Returns False soon after `should_stop()` is true. Raises `bounds.refusal` with a sentence for people, and IbccError if the
    process ended for no reason that it gave.
    """
    errors = folder / "errors"
    with (
        errors.open("wb") as log,
        subprocess.Popen(
            [sys.executable, "-P", "-m", module, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env=_environment(),
            start_new_session=True,
        ) as process,
    ):
        watch = _Watch(process, bounds, on_told)
        try:
            finished = watch.wait(should_stop)
        finally:
            watch.end()
    if not finished:
        return False
    if watch.problem is not None:
        raise bounds.refusal(watch.problem)
    if process.returncode != 0:
        raise _unforeseen(process.returncode, errors, bounds)
    return True


def _environment() -> dict[str, str]:
    """Returns this process's environment without the service's settings, which may hold a password. One thread is enough for
    what is computed, and each thread of OpenBLAS takes memory out of the limit."""
    return {key: value for key, value in os.environ.items() if not key.startswith("IBCC_")} | {"OPENBLAS_NUM_THREADS": "1"}


def _unforeseen(code: int, errors: Path, bounds: Bounds) -> IbccError:
    text = errors.read_bytes()[-_ERROR_BYTES:].decode(errors="replace")
    if code in (-signal.SIGKILL, -signal.SIGSEGV, -signal.SIGABRT) or "MemoryError" in text or "bad_alloc" in text:
        return bounds.refusal(bounds.too_much)
    last = text.strip().splitlines()[-1:] or [f"exit code {code}"]
    return IbccError(f"{bounds.process} ended unexpectedly ({last[0]}); please report it")


class _Watch:
    """Listens to the process while somebody waits for it."""

    def __init__(self, process: "subprocess.Popen[bytes]", bounds: Bounds, on_told: OnTold) -> None:
        self._process, self._bounds, self._on_told = process, bounds, on_told
        self._told: list[dict[str, Any]] = []
        self.problem: str | None = None
        self._thread = threading.Thread(target=self._listen, name="ibcc-bounded", daemon=True)
        self._thread.start()

    def wait(self, should_stop: Callable[[], bool]) -> bool:
        """Whether it ended by itself. Raises the refusal when the time is over."""
        until = time.monotonic() + self._bounds.time_s
        while self._process.poll() is None:
            if should_stop():
                return False
            if time.monotonic() > until:
                raise self._bounds.refusal(self._bounds.too_long)
            told, self._told = self._told, []
            if told:
                self._on_told(told[-1])
            time.sleep(_LOOK_S)
        self._thread.join()
        return True

    def end(self) -> None:
        """Ends the process if it still runs."""
        if self._process.poll() is None:
            if self._bounds.end_s > 0:
                self._process.terminate()
                try:
                    self._process.wait(self._bounds.end_s)
                except subprocess.TimeoutExpired:
                    self._process.kill()
            else:
                self._process.kill()
        self._process.wait()
        self._thread.join()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for raw in self._process.stdout:
            told = json.loads(raw)
            if "problem" in told:
                self.problem = told["problem"]
            else:
                self._told.append(told)
