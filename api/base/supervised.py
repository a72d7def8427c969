# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A thread of the server that starts again when it fails."""

import threading
import time
from collections.abc import Callable

import structlog

_log = structlog.get_logger()

_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 8.0
"""Less than the lease of a job: a worker that fails once keeps its jobs."""
_WELL_S = 60.0
"""A thread that ran for so many seconds before it failed waits only the first pause again."""


class Supervised:
    """Runs `work`, which returns when it has been asked to end. When it raises, it begins again, after a pause that doubles from
    one failure to the next. start() once; end() before join()."""

    def __init__(self, name: str, work: Callable[[], None], first_pause_s: float = _FIRST_PAUSE_S) -> None:
        self._name, self._work, self._first_pause_s = name, work, first_pause_s
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"ibcc-{name}", daemon=True)
        self._failures = 0
        self._failure = ""
        self._waits = False

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        """Cuts a pause short. `work` has to be asked to end by its owner."""
        self._ending.set()

    def join(self, timeout_s: float | None = None) -> None:
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def trouble(self) -> str | None:
        """Returns a sentence if it does not work at this moment."""
        if not self.is_alive():
            return f"The thread for {self._name} has ended; restart the service."
        if self._waits:
            return f"The thread for {self._name} has failed ({self._failure}) and starts again; the log has the details."
        return None

    def remark(self) -> str | None:
        """Returns a sentence if it works again after failures."""
        if self._failures == 0 or self._waits:
            return None
        times = "once" if self._failures == 1 else f"{self._failures} times"
        return f"The thread for {self._name} was started again {times} since the service began, last after {self._failure}."

    def _run(self) -> None:
        pause_s = self._first_pause_s
        while True:
            began_s = time.monotonic()
            try:
                self._work()
            except Exception as error:  # what ends one round must not end the others
                self._failures += 1
                self._failure = type(error).__name__
                _log.exception(f"{self._name}.bug")
            else:
                return
            if time.monotonic() >= began_s + _WELL_S:
                pause_s = self._first_pause_s
            self._waits = True
            if self._ending.wait(pause_s):
                return
            self._waits = False
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
