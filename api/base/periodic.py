# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A thread of the server that does the same work again and again."""

import threading
from collections.abc import Callable

import structlog
from sqlalchemy.exc import SQLAlchemyError

_log = structlog.get_logger()


class Periodic:
    """Calls `work` every `interval_s` seconds, until it is stopped; the first time after one interval. A failure is logged under
    `name`, and the next time comes nevertheless. start() and stop() once each."""

    def __init__(self, name: str, work: Callable[[], object], interval_s: float) -> None:
        self._name, self._work, self._interval_s = name, work, interval_s
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"ibcc-{name}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        """Asks it to stop, and does not wait."""
        self._ending.set()

    def stop(self, patience_s: float = 10.0) -> None:
        self.end()
        if self._thread.is_alive():
            self._thread.join(patience_s)

    def pause(self) -> bool:
        """Waits until the next time. Returns true if there is none, as it is to stop."""
        return self._ending.wait(self._interval_s)

    def _run(self) -> None:
        while not self.pause():
            try:
                self._work()
            except SQLAlchemyError as error:
                _log.warning(f"{self._name}.database", error=str(error).splitlines()[0])
            except Exception:  # what is wrong this time may not be the next
                _log.exception(f"{self._name}.bug")
