# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""ccsimd as a child process."""

import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text


class OwnEmulator:
    """Serves a fabric on a socket name until the `with` block ends."""

    def __init__(self, fabric: FabricDocument, socket: str, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        document = folder / "fabric.yaml"
        document.write_text(fabric_text(fabric, []), encoding="utf-8")
        self._process = subprocess.Popen(
            [Path(sys.executable).with_name("ccsimd"), document, "--socket", socket],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        if not self._process.stdout.readline().startswith("ready"):
            raise RuntimeError(f"ccsimd did not start: exit {self._process.wait()}")

    @property
    def pid(self) -> int:
        return self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.terminate()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
