# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A Unix socket of another host, such as the OpenSM plugin's, as a socket here: `ssh -L`."""

import contextlib
import re
import select
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from tuner.errors import BadInputError, UnreachableError

_PATH = re.compile(r"/[A-Za-z0-9_./@%+=,-]{1,100}")
_NODE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,252}")

# The tunnel is a session that ends with its standard input, so it does not outlive this process, however that ends. Its remote
# program is `cat`; with a forced command there it is whatever that is, and must read its input to the end as well.
_COMMAND = "cat"
_OPTIONS = (
    "-oBatchMode=yes",
    "-oExitOnForwardFailure=yes",
    "-oStreamLocalBindUnlink=yes",
    "-oStreamLocalBindMask=0177",
    "-oControlMaster=no",
    "-oControlPath=none",
    "-oServerAliveInterval=10",
    "-oServerAliveCountMax=3",
    "-oLogLevel=ERROR",
    "-T",
)


class RemoteSocket:
    """A socket in a folder of its own, which only this user may enter. Whoever connects to it is, at the other end, the user that
    ssh logs in as."""

    def __init__(
        self, node: str, socket_path: str, *, program: str = "ssh", options: Sequence[str] = (), connect_timeout_s: float = 20.0
    ) -> None:
        """`options`: further ones of ssh's. Raises BadInputError for a path or a node that ssh would take for something else."""
        if not _PATH.fullmatch(socket_path):
            raise BadInputError(
                f"the socket '{socket_path}' cannot be reached through ssh; an absolute path without colons and spaces can"
            )
        if not _NODE.fullmatch(node):
            raise BadInputError(f"'{node}' is no host's name")
        self._node, self._remote = node, socket_path
        self._program, self._more = program, tuple(options)
        self._timeout_s = connect_timeout_s
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def open(self) -> Path:
        """The socket here, once it accepts. Idempotent. Raises UnreachableError."""
        with self._lock:
            if self._folder is not None and self._process is not None and self._process.poll() is None:
                return Path(self._folder.name) / "s"
            self._close()
            self._folder = tempfile.TemporaryDirectory(prefix="ibcc-ssh-")
            path = Path(self._folder.name) / "s"
            # The first value that ssh is told of an option counts.
            argv = [self._program, *self._more, *_OPTIONS, f"-oConnectTimeout={max(1, round(self._timeout_s))}"]
            argv += ["-L", f"{path}:{self._remote}", "--", self._node, _COMMAND]
            try:
                self._process = subprocess.Popen(
                    argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
                )
                self._await(path, self._process)
            except OSError as error:
                self._close()
                raise UnreachableError(f"launching '{self._program}' failed: {error.strerror}") from error
            except BaseException:
                self._close()
                raise
            return path

    def close(self) -> None:
        """Idempotent."""
        with self._lock:
            self._close()

    def _await(self, path: Path, process: subprocess.Popen[bytes]) -> None:
        """ssh says nothing when it is through; its socket accepts then, and it answers for the other end by closing at once or
        not."""
        assert process.stderr is not None
        until_s = time.monotonic() + self._timeout_s
        while time.monotonic() < until_s:
            if select.select([process.stderr], [], [], 0.05)[0] or process.poll() is not None:
                said = process.stderr.read1(2000).decode(errors="replace").strip()  # type: ignore[attr-defined]
                reason = said.splitlines()[-1] if said else f"ssh ended with exit code {process.wait()}"
                raise UnreachableError(f"the socket {self._remote} on '{self._node}' cannot be reached: {reason}")
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
                probe.connect(str(path))
                return
        raise UnreachableError(f"'{self._node}' did not let ssh in within {self._timeout_s:g} s")

    def _close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            assert process.stdin is not None
            assert process.stderr is not None
            process.stdin.close()
            try:
                process.wait(2)
            except subprocess.TimeoutExpired:
                process.terminate()
                try:
                    process.wait(2)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
            process.stderr.close()
        folder, self._folder = self._folder, None
        if folder is not None:
            folder.cleanup()
