# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The process that makes a twin for the service: `python -m tuner.twin.twin_process FOLDER`; `tuner.twin.apart` starts it.

The folder has `order.json` and `fabric.yaml`. The process leaves `report.json` and `report.html` there, or prints a problem. Each
line of its output is a JSON object: `{"step": …, "fraction": …, "left_s": …}`, or `{"problem": …}`. When its standard input ends,
its starter is gone: it deletes the folder and ends at once, and its OpenSM with it.
"""

import json
import os
import resource
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

from tuner.errors import IbccError
from tuner.fabric.importers.base import read_fabric
from tuner.twin.progress import Told
from tuner.twin.twin import make_twin

_TOLD_EVERY_S = 0.5
STOPPED = 130
_LEAST_BYTES = 64 * 2**20
"""What a twin of a few hosts needs beside its modules: with less, the first thing that cannot be loaded would be blamed."""
_FULL_BYTES = 16 * 2**20


def main(folder: Path) -> int:
    """Carries the order out, and returns the exit code."""
    threading.Thread(target=_await_orphanage, args=(folder,), daemon=True).start()
    signal.signal(signal.SIGTERM, _interrupt)
    order = json.loads((folder / "order.json").read_text(encoding="utf-8"))
    memory_bytes = order["memory_bytes"]
    if _has_taken(memory_bytes - _LEAST_BYTES):
        raise MemoryError
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        _make(folder, order)
    except (IbccError, RuntimeError) as error:
        # Whatever could not be loaded or started then, this is why.
        if _has_taken(memory_bytes - _FULL_BYTES):
            raise MemoryError from error
        if not isinstance(error, IbccError):
            raise
        _tell(problem=str(error))
    except KeyboardInterrupt:
        return STOPPED
    return 0


def _has_taken(memory_bytes: int) -> bool:
    """True if the process has had so much memory at once."""
    peak = next(line for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines() if line.startswith("VmPeak:"))
    return int(peak.split()[1]) * 1024 >= memory_bytes


def _make(folder: Path, order: dict[str, Any]) -> None:
    text = (folder / "fabric.yaml").read_text(encoding="utf-8")
    imported = read_fabric(text, source=order["source"], name=order["name"], mtu_bytes=4096)
    made = make_twin(replace(imported, notes=()), source=order["source"], read=order["read"], tell=_teller())
    (folder / "report.json").write_text(json.dumps(made.document), encoding="utf-8")
    (folder / "report.html").write_text(made.page, encoding="utf-8")


def _teller() -> Callable[[Told], None]:
    last: tuple[str, float] = ("", 0.0)

    def tell(told: Told) -> None:
        nonlocal last
        if told.step != last[0] or time.monotonic() >= last[1] + _TOLD_EVERY_S:
            last = (told.step, time.monotonic())
            _tell(step=told.step, fraction=round(told.fraction, 3), left_s=max(1, round(told.left_s)))

    return tell


def _tell(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _await_orphanage(folder: Path) -> None:
    while os.read(0, 64):
        pass
    shutil.rmtree(folder, ignore_errors=True)
    os.kill(os.getpid(), signal.SIGKILL)  # the guard of OpenSM ends that, and deletes its folder


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
