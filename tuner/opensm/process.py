# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""An unmodified OpenSM as a child process on an emulated fabric."""

import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tuner.errors import InterruptedRunError
from tuner.opensm.guard import Guard
from tuner.opensm.log import LogLine, parse

OptionValue = str | int | bool

STOP_S = 10.0
"""Time that OpenSM may take to end of its own accord; longer than a transaction with all its retries."""
_LOOK_S = 0.5
"""Time between two looks at whether the waiting is to stop."""


class OpenSmError(Exception):
    """OpenSM has ended, or has not logged in time what it was waited for. Its last lines are in the message."""


class OpenSm:
    """OpenSM in a folder of its own, which holds its caches, dumps and options. Ends with the `with` block.

    The log comes through a pipe that a thread reads, so whoever waits for a line waits for the line and nothing else; it is kept
    in `opensm.log` too.
    """

    def __init__(
        self,
        folder: Path,
        environment: Mapping[str, str],
        *,
        options: Mapping[str, OptionValue] | None = None,
        more_options: str = "",
        arguments: Sequence[str] = (),
        executable: str = "opensm",
        guard: Guard | None = None,
    ) -> None:
        """`environment`: what attaches a program to the fabric. `options`: of opensm.conf. `more_options`: lines of it,
        such as those of `congestion_options`. `arguments`: of the command line. `guard`: ends it if this process ends first."""
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.log_file = folder / "opensm.log"
        self._more_options = more_options
        self._options = {"force_log_flush": True, **(options or {})}
        self.write_options({})
        self._lines: list[LogLine] = []
        self._output: list[str] = []
        self._news = threading.Condition()
        self._ended = False
        self._usage: tuple[int, float] | None = None
        self.started_s = time.monotonic()
        command, stdin = [executable, "-F", str(self._conf), "-f", "stdout", *arguments], subprocess.DEVNULL
        if guard is not None:
            command, stdin = guard.started(command)
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env={**environment, "OSM_TMP_DIR": str(folder), "OSM_CACHE_DIR": str(folder)},
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        self._reader = threading.Thread(target=self._read, name=f"log of OpenSM {self._process.pid}", daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def lines(self) -> list[LogLine]:
        """The log up to now."""
        with self._news:
            return list(self._lines)

    @property
    def errors(self) -> list[str]:
        """Errors that it has logged up to now.

        A change of its own port's CapabilityMask is left out, though it is logged as errors are: it means that OpenSM became a
        subnet manager, and whether OpenSM hears of it depends on how busy the machine is.
        """
        return [line.text for line in self.lines if line.is_error and "num:144 (CapabilityMask" not in line.text]

    @property
    def engine(self) -> str | None:
        """The routing engine whose tables the switches hold; None before there are any."""
        return next((line.engine for line in reversed(self.lines) if line.engine), None)

    @property
    def cpu_s(self) -> float:
        """User and system time in seconds; REQUIRES: it has ended."""
        assert self._usage is not None
        return self._usage[1]

    def write_options(self, changes: Mapping[str, OptionValue]) -> None:
        """Changes opensm.conf. OpenSM reads it again on `sweep`, and takes those options that it lets change at run time."""
        self._options.update(changes)
        lines = [f"{key} {_shown(value)}\n" for key, value in self._options.items()]
        self._conf.write_text("".join(lines) + self._more_options)

    def await_line(
        self,
        what: str | Callable[[LogLine], bool],
        *,
        after: int = 0,
        timeout_s: float = 60.0,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> int:
        """Waits for a line that has this pattern in it, or for which this is true; returns its index in `lines`.

        `after`: the first index that counts. Raises OpenSmError, and InterruptedRunError soon after `should_stop()` is true.
        """
        holds = what if callable(what) else lambda line: re.search(what, line.text) is not None
        deadline = time.monotonic() + timeout_s
        at = after
        with self._news:
            while True:
                while at < len(self._lines):
                    if holds(self._lines[at]):
                        return at
                    at += 1
                if self._ended:
                    raise OpenSmError(f"OpenSM has ended with {self.stop()}; {self._last_words()}")
                if should_stop():
                    raise InterruptedRunError("OpenSM was stopped while it brought the subnet up")
                if not self._news.wait(min(_LOOK_S, deadline - time.monotonic())) and time.monotonic() >= deadline:
                    raise OpenSmError(f"OpenSM has not logged {what!r} in {timeout_s:g} s; {self._last_words()}")

    def await_subnet_up(self, *, after: int = 0, timeout_s: float = 60.0, should_stop: Callable[[], bool] = lambda: False) -> int:
        """Waits for the end of a heavy sweep that went well; returns the index of its line in `lines`. Raises as await_line."""
        return self.await_line(lambda line: line.is_subnet_up, after=after, timeout_s=timeout_s, should_stop=should_stop)

    def sweep(self, *, timeout_s: float = 60.0) -> int:
        """Has it read its options again and sweep heavily, and waits for SUBNET UP."""
        after = len(self.lines)
        os.kill(self.pid, signal.SIGHUP)
        return self.await_subnet_up(after=after, timeout_s=timeout_s)

    def stop(self) -> int:
        """Ends it, by force if it does not end in good time. Returns its exit status, negative for a signal."""
        if self._usage is None:
            # Not by Popen, which would reap one that has ended by itself, and lose what it has used.
            os.kill(self.pid, signal.SIGTERM)
            timer = threading.Timer(STOP_S, os.kill, (self.pid, signal.SIGKILL))
            timer.start()
            try:
                self._reap()
            finally:
                timer.cancel()
        return self._exit_status()

    def kill(self) -> None:
        """Ends it at once, as a crash would."""
        if self._usage is None:
            os.kill(self.pid, signal.SIGKILL)
            self._reap()

    def _reap(self) -> None:
        _, status, usage = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        self._usage = (self._process.returncode, usage.ru_utime + usage.ru_stime)
        self._reader.join()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _exit_status(self) -> int:
        assert self._usage is not None
        return self._usage[0]

    @property
    def _conf(self) -> Path:
        return self.folder / "opensm.conf"

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self.log_file.open("w", encoding="utf-8", buffering=1) as log:
            for text in self._process.stdout:
                line = parse(text, arrived_s=time.monotonic())
                log.write(text)
                with self._news:
                    self._output.append(text)
                    if line is not None:
                        self._lines.append(line)
                        self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def _last_words(self) -> str:
        return "its last lines: " + "".join(self._output[-15:])


def _shown(value: OptionValue) -> str:
    return str(value).upper() if isinstance(value, bool) else str(value)
