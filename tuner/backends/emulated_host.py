# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""An emulated fabric of one's own, with a real OpenSM and the plugin in it, as a child process."""

import itertools
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from tuner.documents import catalogue
from tuner.errors import BadInputError, UnreachableError
from tuner.opensm.plugin_library import find_plugin
from tuner.opensm.preload import client_path, find_umad2sim

BASE_PROFILE = "off"
"""Name of the profile that the fabric starts with and returns to, as a simulated one does."""

_END_S = 20.0
"""OpenSM may take 10 s for its end, and the plugin 5 of them for the base."""

# Programs inside have Debian's client of the emulator before their libraries, which `cat` has no use for. It ends with its
# input, a pipe from here: with this process, that is, whatever ends it, and then `ibcc emulate` ends OpenSM and itself.
_INSIDE = 'echo "$IBCC_SOCKET" && exec env -u LD_PRELOAD cat >/dev/null'

_number = itertools.count()


class EmulatedHost:
    """`ibcc emulate FABRIC --advised --plugin`, from construction to `close`, or to the end of this process."""

    def __init__(self, fabric: str, model: Mapping[str, Any], *, plugin_options: str = "") -> None:
        """Returns when OpenSM has brought the subnet up and the plugin has brought `BASE_PROFILE` to it. `model`: free
        parameters of the devices by dotted name. `plugin_options`: those of `ibcc emulate --plugin-args`.
        Raises BadInputError for a fabric or a parameter that is wrong, UnreachableError for all else."""
        require_programs()
        self._closed = False
        self.name = f"ibcc-{os.getpid()}-{next(_number)}-{secrets.token_hex(3)}"
        self._folder = Path(tempfile.mkdtemp(prefix="ibcc-emulated-"))
        where = str(Path(fabric).absolute()) if catalogue.is_path(fabric) else fabric
        settings = [word for key, value in model.items() for word in ("--set", f"model.{key}={value}")]
        command = [sys.executable, "-m", "tuner.cli.main", "emulate", where, "--socket", self.name]
        command += ["--plugin-args", plugin_options] if plugin_options else []
        command += ["--advised", "--plugin", "--profile", BASE_PROFILE, *settings, "--", "/bin/sh", "-c", _INSIDE]
        # All that it leaves is in one folder, its sockets too. The terminal's Ctrl-C means this process, so it has its own
        # session.
        environment = os.environ | {"TMPDIR": str(self._folder), "XDG_RUNTIME_DIR": str(self._folder)}
        try:
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(
                    command,
                    cwd=self._folder,
                    env=environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    start_new_session=True,
                )
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        try:
            self.plugin_socket = self._await_ready()
        except BaseException:
            self.close()
            raise

    @property
    def control_socket(self) -> Path:
        return self._folder / "ibcc" / f"{self.name}.sock"

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Without anybody's asking: it was killed, or OpenSM was, or gave up. The process goes on without OpenSM, whose socket
        nobody listens at then."""
        return not self._closed and (self._process.poll() is not None or _is_deserted(self.plugin_socket))

    def close(self) -> None:
        """Ends OpenSM, which puts the base back first if need be, and the fabric. Idempotent."""
        if self._closed:
            return
        self._closed = True
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            status = self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            status = None
        if status != 0:  # it may not have come to end what it has begun: OpenSM is of its session
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def last_words(self) -> str:
        """Returns the last three lines of its log, in one line."""
        lines = self._log.read_text(errors="replace").splitlines() if self._log.is_file() else []
        return " ".join(lines[-3:]).removeprefix("ibcc: ")

    @property
    def _log(self) -> Path:
        return self._folder / "emulate.log"

    def _await_ready(self) -> Path:
        assert self._process.stdout is not None
        line = self._process.stdout.readline().decode().strip()
        if line:
            return Path(line)
        status = self._process.wait()
        if status == BadInputError.exit_code:
            raise BadInputError(self.last_words())
        raise UnreachableError(f"the emulated fabric has ended with {status} before it was up: {self.last_words()}")


def _is_deserted(path: Path) -> bool:
    """True if nobody listens at the socket. One that is busy has listeners."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.setblocking(False)
        try:
            connection.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            return True
        except OSError:
            return False
    return False


def require_programs() -> None:
    """Raises UnreachableError, with what to install, if OpenSM, Debian's client of the emulator, or the plugin is missing."""
    why = "backend 'emulated' runs a real OpenSM with ibcc's plugin"
    if shutil.which("opensm", path=client_path()) is None:
        raise UnreachableError(f"{why}, and the program opensm is not installed; Debian's package opensm has it")
    try:
        find_umad2sim()
        find_plugin()
    except BadInputError as error:
        raise UnreachableError(f"{why}: {error.sentence}") from error
