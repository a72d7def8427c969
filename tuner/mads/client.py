# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The reader as a child process."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tuner.errors import UnreachableError
from tuner.mads.request import Reply, Request

_ROOT = Path(__file__).parents[2]
_STOP_S = 10.0


@dataclass(frozen=True)
class Read:
    """A reply, and the seconds from the batch's start to it."""

    reply: Reply
    after_s: float


@dataclass(frozen=True, kw_only=True)
class Totals:
    """MADs `sent` since the start, how many of them `timed_out`, and what no second had more of."""

    sent: int = 0
    timed_out: int = 0
    greatest_in_a_second: int = 0


class MadReader:
    """Until the `with` block ends. Raises UnreachableError with what is missing."""

    def __init__(
        self,
        *,
        classes: Collection[int],
        mads_per_s: int,
        device: str | None = None,
        port: int = 0,
        timeout_s: float = 0.5,
        retries: int = 2,
        gives_up: bool = True,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """`environment`: of the reader, such as what attaches it to an emulated fabric; by default this process's. The others: as
        of UmadPort and Manners."""
        self.totals = Totals()
        # An emulated fabric's client makes a folder in the current one.
        self._folder = tempfile.TemporaryDirectory(prefix="ibcc-mads-", ignore_cleanup_errors=True)
        variables = {**(os.environ if environment is None else environment), "PYTHONPATH": str(_ROOT)}
        # A file and no pipe: libraries may write more to it than a pipe holds, and nobody reads it until the end.
        self._messages = Path(self._folder.name) / "messages"
        with self._messages.open("w") as messages:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tuner.mads.reader"],
                cwd=self._folder.name,
                env=variables,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=messages,
                text=True,
                start_new_session=True,  # Ctrl-C is this process's, which may have something to undo
            )
        options = {"device": device, "port": port, "classes": list(classes), "mads_per_s": mads_per_s}
        try:
            manners = {"timeout_s": timeout_s, "retries": retries, "gives_up": gives_up}
            self._write(json.dumps(options | manners) + "\n")
            self._line()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes the port; requests in flight are lost."""
        self._process.terminate()
        try:
            self._process.communicate(timeout=_STOP_S)
        except (subprocess.TimeoutExpired, ValueError):
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    def read(self, requests: Sequence[Request], *, on_progress: Callable[[float], None] = lambda fraction: None) -> list[Read]:
        """Returns the replies in the order of the requests."""
        self._write("".join(_line(request) for request in requests) + "\n")
        replies: list[Read | None] = [None] * len(requests)
        done = 0
        while isinstance(line := self._line(), list):
            index, status, data, after_s, attribute = line
            replies[index] = Read(Reply(status, bytes.fromhex(data), attribute), after_s)
            done += 1
            if done % 100 == 0:
                on_progress(done / len(requests))
        self.totals = Totals(**line)
        return [one for one in replies if one is not None]

    def _write(self, text: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(text)
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # the reader has said why, or will not

    def _line(self) -> Any:
        assert self._process.stdout is not None
        text = self._process.stdout.readline()
        if not text:
            last = self._messages.read_text(errors="replace").strip().splitlines()[-1:]
            raise UnreachableError(f"the reader of MADs has ended{': ' if last else ''}{''.join(last)}")
        line = json.loads(text)
        if isinstance(line, dict) and "error" in line:
            raise UnreachableError(line["error"])
        return line


def _line(request: Request) -> str:
    fields = [
        request.lid,
        request.mgmt_class,
        request.attribute,
        request.modifier,
        request.data.hex(),
        request.method,
        request.key,
    ]
    return json.dumps(fields) + "\n"
