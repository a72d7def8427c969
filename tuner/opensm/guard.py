# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A folder for OpenSM that goes with this process, and OpenSM with it, whatever ends the process.

A small shell outlives it for a moment: it waits for the end of a pipe from here, kills the OpenSM that it was told of last, and
removes the folder.
"""

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_SCRIPT = """
while read -r what pid; do [ "$what" = keep ] && keep=1 || kill=$pid; done
[ -z "$kill" ] || kill -KILL "$kill" 2>/dev/null
[ -n "$keep" ] || rm -rf -- "$1"
"""

_STARTER = 'echo "kill $$" >&0; exec "$@" </dev/null'
"""The program itself tells the guard of it before it begins: no signal comes between."""


@dataclass(frozen=True)
class Guard:
    """`folder`: exists until the end of the context."""

    folder: Path
    _shell: "subprocess.Popen[str]"

    def started(self, command: Sequence[str]) -> tuple[list[str], int]:
        """Returns a command, and the file descriptor to give it as standard input, so that it is killed with the folder's
        end from its first moment on; `kills(None)` once it has ended."""
        assert self._shell.stdin is not None
        return ["/bin/sh", "-c", _STARTER, "start", *command], self._shell.stdin.fileno()

    def kills(self, pid: int | None) -> None:
        """Has this process killed with the folder's end; None: nobody any more."""
        self._tell(f"kill {pid or ''}")

    def keeps_folder(self) -> None:
        """Leaves the folder, for people who look at the log of what has failed."""
        self._tell("keep")

    def _tell(self, line: str) -> None:
        assert self._shell.stdin is not None
        with suppress(BrokenPipeError):
            self._shell.stdin.write(f"{line}\n")
            self._shell.stdin.flush()


@contextmanager
def guarded_folder(prefix: str) -> Iterator[Guard]:
    """Makes a folder whose name begins so, and removes it at the end."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    shell = subprocess.Popen(
        ["/bin/sh", "-c", _SCRIPT, "guard", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,  # a terminal's Ctrl-C does not mean it
    )
    try:
        yield Guard(folder, shell)
    finally:
        assert shell.stdin is not None
        with suppress(BrokenPipeError):
            shell.stdin.close()
        shell.wait()
