# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A twin in a process of its own, bounded in memory and time: for the service, whose threads must not wait for it.

The process leaves nothing behind if this one is killed: its standard input ends then, and it ends OpenSM and deletes its folder
(`twin_process.py`).
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from tuner.errors import BadInputError, IbccError

OnStep: TypeAlias = Callable[[str, float], None]
"""Told what is done, with the seconds that are left, and the part of all that is done, 0 to 1."""

_LOOK_S = 0.1
_END_S = 20.0
"""Time that the process gets to end OpenSM before it is killed; its guard then ends OpenSM."""
_ERROR_BYTES = 2000


@dataclass(frozen=True, kw_only=True)
class Order:
    """A fabric to make the twin of, and the limits of the process."""

    document: str
    """Fabric document as YAML."""
    name: str
    """Name of the fabric."""
    source: str
    """Name of the file that it came from."""
    read: dict[str, Any]
    """`format`, `notes` and `remarks` of the import, where known."""
    memory_bytes: int
    time_s: float


@dataclass(frozen=True)
class Made:
    document: dict[str, Any]
    page: str


def make(order: Order, *, on_step: OnStep, should_stop: Callable[[], bool]) -> Made | None:
    """Returns None soon after `should_stop()` is true. Raises BadInputError with a sentence for people, and IbccError if the
    process ended for no reason that it gave."""
    with tempfile.TemporaryDirectory(prefix="ibcc-twin-", ignore_cleanup_errors=True) as place:
        folder = Path(place)
        (folder / "fabric.yaml").write_text(order.document, encoding="utf-8")
        plain = {key: value for key, value in vars(order).items() if key != "document"}
        (folder / "order.json").write_text(json.dumps(plain), encoding="utf-8")
        errors = folder / "errors"
        command = [sys.executable, "-P", "-m", "tuner.twin.twin_process", place]
        with (
            errors.open("wb") as log,
            subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env={key: value for key, value in os.environ.items() if not key.startswith("IBCC_")},
                start_new_session=True,
            ) as process,
        ):
            watch = _Watch(process, on_step)
            try:
                stopped = watch.wait(order.time_s, should_stop)
            finally:
                watch.end()
        if stopped:
            return None
        if watch.problem is not None:
            raise BadInputError(watch.problem)
        if process.returncode != 0:
            raise _unforeseen(process.returncode, errors, order)
        document = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        return Made(document, (folder / "report.html").read_text(encoding="utf-8"))


def _unforeseen(code: int, errors: Path, order: Order) -> IbccError:
    text = errors.read_bytes()[-_ERROR_BYTES:].decode(errors="replace")
    if code in (-signal.SIGKILL, -signal.SIGSEGV, -signal.SIGABRT) or "MemoryError" in text or "bad_alloc" in text:
        return BadInputError(
            f"the twin of {order.source} needs more than {order.memory_bytes / 2**20:,.0f} MiB of memory, the setting "
            "twin_memory_bytes; 'ibcc twin' has no such limit"
        )
    last = text.strip().splitlines()[-1:] or [f"exit code {code}"]
    return IbccError(f"the process that makes the twin of {order.source} ended unexpectedly ({last[0]}); please report it")


class _Watch:
    """Listens to the process while somebody waits for it."""

    def __init__(self, process: "subprocess.Popen[bytes]", on_step: OnStep) -> None:
        self._process, self._on_step = process, on_step
        self._told: list[dict[str, Any]] = []
        self.problem: str | None = None
        self._thread = threading.Thread(target=self._listen, name="ibcc-twin", daemon=True)
        self._thread.start()

    def wait(self, time_s: float, should_stop: Callable[[], bool]) -> bool:
        """Whether somebody stopped it. Raises BadInputError when the time is over."""
        until = time.monotonic() + time_s
        while self._process.poll() is None:
            if should_stop():
                return True
            if time.monotonic() > until:
                raise BadInputError(
                    f"the twin was not made within {time_s:,.0f} s, the setting twin_time_s; 'ibcc twin' has no limit"
                )
            told, self._told = self._told, []
            if told:
                last = told[-1]
                self._on_step(f"{last['step']}, about {last['left_s']:,} s left", last["fraction"])
            time.sleep(_LOOK_S)
        self._thread.join()
        return False

    def end(self) -> None:
        """Ends the process if it still runs, which ends OpenSM first."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(_END_S)
            except subprocess.TimeoutExpired:
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
