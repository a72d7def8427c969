# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""ibsim, the fabric simulator of OpenFabrics, as a child process: what our emulator is compared with."""

import os
import subprocess
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from tuner.documents.fabric import FabricDocument
from tuner.fabric.exporters.ibsim import net_text


class Ibsim:
    """Serves a fabric on a socket name until the `with` block ends. Its limits are set to what the fabric needs."""

    def __init__(self, fabric: FabricDocument, socket: str, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        net = folder / "ibsim.net"
        net.write_text(net_text(fabric))
        limits = {
            "-N": len(fabric.nodes) + 1,
            "-S": len(fabric.switches) + 1,
            "-P": sum(node.ports + 1 for node in fabric.nodes) + 1,
            "-L": 0xC000,
            "-M": 1024,
        }
        self._process = subprocess.Popen(
            ["ibsim", "-s", *(str(word) for option in limits.items() for word in option), str(net)],
            env={**os.environ, "IBSIM_SOCKNAME": socket},
            cwd=folder,
            stdin=subprocess.PIPE,  # its console, which ends it when it is closed
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert self._process.stdout is not None
        output = b""
        while b"ready" not in output:
            more = os.read(self._process.stdout.fileno(), 65536)
            if not more:
                raise RuntimeError(f"ibsim did not start: {output.decode(errors='replace')[-500:]}")
            output += more
        # What it prints later is of no interest, but must not fill the pipe.
        self._drain = threading.Thread(target=self._process.stdout.read, daemon=True)
        self._drain.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        self._drain.join()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
