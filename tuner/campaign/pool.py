# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Worker threads, each with an open backend of its own."""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from types import TracebackType
from typing import TypeAlias

from ccsim.policy import Profile
from tuner.backends.base import Backend
from tuner.campaign.evaluation import Evaluation, Plan, evaluate
from tuner.errors import BadInputError, InterruptedRunError
from tuner.measurement import Measurement

Outcome: TypeAlias = tuple[Evaluation, tuple[Measurement, ...]]


class BackendPool:
    """Measures profiles on `size` backends at once; a context, which restores and closes every backend in any ending.

    Threads suffice: a simulation releases the GIL, a real fabric is waited for.
    """

    def __init__(self, open_backend: Callable[[], Backend], size: int) -> None:
        self._open_backend = open_backend
        self.size = size
        self._free: queue.SimpleQueue[Backend] = queue.SimpleQueue()
        self._cleanup = ExitStack()
        self._stop = threading.Event()

    def __enter__(self) -> "BackendPool":
        """Opens the backends. Raises UnreachableError, or BadInputError if the backend measures one profile at a time."""
        with ExitStack() as opened:
            for _ in range(self.size):
                backend = self._open_backend()
                opened.callback(backend.close)
                self.capabilities = capabilities = backend.open()
                opened.callback(backend.restore)
                if self.size > 1 and not capabilities.concurrent:
                    raise BadInputError(f"backend '{capabilities.name}' measures one profile at a time; parallel is {self.size}")
                self._free.put(backend)
            self._cleanup = opened.pop_all()
        self._executor = ThreadPoolExecutor(self.size, thread_name_prefix="measure")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()
        self._executor.shutdown(wait=True, cancel_futures=True)
        self._cleanup.close()

    def stop(self) -> None:
        """Ends what is being measured; those futures raise InterruptedRunError."""
        self._stop.set()

    def submit(self, profile: Profile, plan: Plan) -> Future[Outcome]:
        return self._executor.submit(self._measure, profile, plan)

    def _measure(self, profile: Profile, plan: Plan) -> Outcome:
        if self._stop.is_set():
            raise InterruptedRunError("stopped before it began")
        backend = self._free.get()
        try:
            return evaluate(backend, profile, plan, self._stop.is_set)
        finally:
            self._free.put(backend)
