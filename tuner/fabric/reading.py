# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Reads what somebody uploaded in a process of its own, bounded in memory and time.

Importers are Python, which holds the interpreter's lock while it matches lines, and a thread's memory cannot be bounded. A
process has a limit of memory that cannot take the service with it, is killed within a moment, and leaves the processor to the
service's threads.
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

from tuner.documents.congestion_control import Dialect
from tuner.errors import BadInputError, IbccError

OnStep: TypeAlias = Callable[[str, float], None]
"""Told the step of the work, and the part of it that is done, 0 to 1."""

_LOOK_S = 0.1
_ERROR_BYTES = 2000
_ELSEWHERE = "'ibcc fabric import' has no such limit, and the service imports the fabric document that it makes"


class UnreadableError(BadInputError):
    """The upload makes no fabric; the sentence says why."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """A topology to read, and the limits of reading it."""

    topology: bytes
    """File as it was uploaded; gzip is unpacked."""
    source: str
    """Name of the topology in errors and comments, such as the file's."""
    name: str
    """Name of the fabric in its document."""
    mtu_bytes: int = 4096
    routes: bytes | None = None
    """Forwarding tables, perhaps packed."""
    routes_source: str = "forwarding tables"
    names: bytes | None = None
    """Node name map, perhaps packed."""
    names_source: str = "node name map"
    subnet: int | None = None
    """Subnet to take of a fabric that has several."""
    congestion_control: Dialect | None = None
    """Dialect of all devices; None: as their ids, names and speeds tell."""
    strict: bool = False
    """Whether the first odd row is refused."""
    routing: str | None = None
    """Routing of the simulator that replaces the one that was read."""
    before: str | None = None
    """Document to compare with."""
    memory_bytes: int
    time_s: float
    unpacked_limit_bytes: int


@dataclass(frozen=True)
class Reading:
    """A fabric document, and the preview of `tuner.fabric.preview`."""

    document: str
    preview: dict[str, Any]


def read(order: Order, *, on_step: OnStep, should_stop: Callable[[], bool]) -> Reading | None:
    """Returns None soon after `should_stop()` is true. Raises UnreadableError with a sentence for people, and IbccError if the
    process ended for no reason that it gave."""
    with tempfile.TemporaryDirectory(prefix="ibcc-import-") as place:
        folder = Path(place)
        _write(order, folder)
        command = [sys.executable, "-P", "-m", "tuner.fabric.reading_process", place]
        errors = folder / "errors"
        with (
            errors.open("wb") as log,
            subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, env=_environment(), start_new_session=True
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
            raise UnreadableError(watch.problem)
        if process.returncode != 0:
            raise _unforeseen(process.returncode, errors, order)
        preview = json.loads((folder / "preview.json").read_text(encoding="utf-8"))
        return Reading((folder / "document.yaml").read_text(encoding="utf-8"), preview)


def _write(order: Order, folder: Path) -> None:
    plain = {key: value for key, value in vars(order).items() if key not in ("topology", "routes", "names", "before")}
    (folder / "order.json").write_text(json.dumps(plain), encoding="utf-8")
    (folder / "topology").write_bytes(order.topology)
    if order.routes is not None:
        (folder / "routes").write_bytes(order.routes)
    if order.names is not None:
        (folder / "names").write_bytes(order.names)
    if order.before is not None:
        (folder / "before.yaml").write_text(order.before, encoding="utf-8")


def _environment() -> dict[str, str]:
    """Returns this process's environment without the service's settings, which may hold a password. One thread is enough for
    what it computes, and each thread of OpenBLAS takes memory out of the limit."""
    return {key: value for key, value in os.environ.items() if not key.startswith("IBCC_")} | {"OPENBLAS_NUM_THREADS": "1"}


def _unforeseen(code: int, errors: Path, order: Order) -> IbccError:
    text = errors.read_bytes()[-_ERROR_BYTES:].decode(errors="replace")
    if code in (-signal.SIGKILL, -signal.SIGSEGV, -signal.SIGABRT) or "MemoryError" in text or "bad_alloc" in text:
        return UnreadableError(
            f"{order.source}: needs more than {order.memory_bytes / 2**20:,.0f} MiB of memory to read, the setting "
            f"import_memory_bytes; {_ELSEWHERE}"
        )
    last = text.strip().splitlines()[-1:] or [f"exit code {code}"]
    return IbccError(f"{order.source}: the process that reads it ended unexpectedly ({last[0]}); please report it")


class _Watch:
    """Listens to the process while somebody waits for it."""

    def __init__(self, process: "subprocess.Popen[bytes]", on_step: OnStep) -> None:
        self._process, self._on_step = process, on_step
        self._steps: list[tuple[str, float]] = []
        self.problem: str | None = None
        self._thread = threading.Thread(target=self._listen, name="ibcc-import", daemon=True)
        self._thread.start()

    def wait(self, time_s: float, should_stop: Callable[[], bool]) -> bool:
        """Whether somebody stopped it. Raises UnreadableError when the time is over."""
        until = time.monotonic() + time_s
        while self._process.poll() is None:
            if should_stop():
                return True
            if time.monotonic() > until:
                raise UnreadableError(f"was not read within {time_s:,.0f} s, the setting import_time_s; {_ELSEWHERE}")
            steps, self._steps = self._steps, []
            if steps:
                self._on_step(*steps[-1])
            time.sleep(_LOOK_S)
        self._thread.join()
        return False

    def end(self) -> None:
        """Kills the process if it still runs."""
        if self._process.poll() is None:
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
                self._steps.append((told["step"], told["fraction"]))
