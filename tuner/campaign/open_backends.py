# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The backends that one process holds open for a campaign: one for each evaluation that runs at a time, reused, and at the end
restored and closed. Every kind of worker measures through one of these."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeAlias

from tuner.campaign.evaluation import Evaluation, Plan, evaluate
from tuner.errors import InterruptedRunError
from tuner.measuring.backend import Backend, Capabilities
from tuner.measuring.configuration import Configuration
from tuner.measuring.measurement import Measurement

Outcome: TypeAlias = tuple[Evaluation, tuple[Measurement, ...]]


class OpenBackends:
    """Threads may share it."""

    def __init__(self, open_backend: Callable[[], Backend]) -> None:
        self._open_backend = open_backend
        self._state = threading.Condition()
        self._free: list[tuple[Backend, Capabilities]] = []
        self._in_use = 0
        self._stop = threading.Event()

    def probe(self) -> Capabilities:
        """Opens a backend, if none is free, and tells what it can. Raises what open() and the backend's options do."""
        with self._borrowed() as (_, capabilities):
            return capabilities

    def measure(self, configuration: Configuration, plan: Plan, should_stop: Callable[[], bool] = lambda: False) -> Outcome:
        """Raises what evaluate() does; InterruptedRunError soon after stop() or once `should_stop()` is true."""
        with self._borrowed() as (backend, _):
            return evaluate(backend, configuration, plan, lambda: self._stop.is_set() or should_stop())

    def stop(self) -> None:
        """Ends what is being measured, and lets nothing else begin."""
        self._stop.set()

    def close(self) -> None:
        """Stops, waits for what is being measured to end, then restores and closes every backend, whatever becomes of the others.
        Raises the last failure of those."""
        self.stop()
        with self._state:
            self._state.wait_for(lambda: self._in_use == 0)
        self.close_idle()

    def close_idle(self) -> None:
        """Restores and closes the backends that nothing is measured on; the next evaluation opens another."""
        with self._state:
            idle, self._free = self._free, []
        with ExitStack() as cleanup:
            for backend, _ in idle:
                cleanup.callback(backend.close)
                cleanup.callback(backend.restore)

    @contextmanager
    def _borrowed(self) -> Iterator[tuple[Backend, Capabilities]]:
        with self._state:
            if self._stop.is_set():
                raise InterruptedRunError("stopped before it began")
            self._in_use += 1
            found = self._free.pop() if self._free else None
        try:
            if found is None:
                found = self._opened()
            yield found
        finally:
            with self._state:
                self._in_use -= 1
                if found is not None:
                    self._free.append(found)
                self._state.notify_all()

    def _opened(self) -> tuple[Backend, Capabilities]:
        backend = self._open_backend()
        try:
            return backend, backend.open()
        except BaseException:
            backend.close()
            raise
