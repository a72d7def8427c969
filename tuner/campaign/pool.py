# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures profiles on workers, each with an open backend of its own."""

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from types import TracebackType

from tuner.campaign.evaluation import Plan
from tuner.campaign.open_backends import Outcome
from tuner.campaign.workers import Answer, ThreadWorkers, Workers
from tuner.errors import BadInputError, InterruptedRunError
from tuner.measuring.backend import Backend, Capabilities
from tuner.measuring.configuration import Configuration

__all__ = ["BackendPool", "Outcome"]


class BackendPool:
    """Measures profiles on `size` backends at once, or on as many as the workers say; a context, which restores and closes every
    backend in any ending.

    `workers`: where; threads of this process by default.
    """

    def __init__(
        self,
        open_backend: Callable[[], Backend],
        size: int,
        workers: Workers | None = None,
    ) -> None:
        self._open_backend = open_backend
        self._workers = workers or ThreadWorkers()
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._jobs: set[Future[Answer]] = set()
        self.size = self._workers.size(size)

    def __enter__(self) -> "BackendPool":
        """Opens a backend; the others are opened when they are needed. Raises UnreachableError, or BadInputError if the backend
        measures one profile at a time."""
        self._workers.start(self._open_backend, self.size)
        try:
            self.capabilities: Capabilities = self._probe()
            name = self.capabilities.name
            if not self.capabilities.concurrent and self._workers.elsewhere:
                raise BadInputError(f"backend '{name}' measures one profile at a time; run it without --dask")
            if not self.capabilities.concurrent and self.size > 1:
                raise BadInputError(f"backend '{name}' measures one profile at a time; parallel is {self.size}")
            self._measure = self._workers.measure()
        except BaseException:
            self.stop()
            self._workers.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()
        self._workers.close()

    def stop(self) -> None:
        """Ends what is being measured; those futures raise InterruptedRunError."""
        self._stopped.set()
        with self._lock:
            jobs = list(self._jobs)
        for job in jobs:
            job.cancel()
        self._workers.stop()

    def submit(self, configuration: Configuration, plan: Plan) -> Future[Outcome]:
        """The future raises what evaluate() does, LostWorkerError, and UnreachableError if the workers are out of reach."""
        outcome: Future[Outcome] = Future()
        outcome.set_running_or_notify_cancel()  # only stop() ends it early
        job = self._workers.executor.submit(self._measure, configuration, plan)
        with self._lock:
            self._jobs.add(job)
        job.add_done_callback(lambda job: self._settle(job, outcome))
        if self._stopped.is_set():  # it may have come after stop() looked for what to cancel
            job.cancel()
        return outcome

    def _probe(self) -> Capabilities:
        job = self._workers.executor.submit(self._workers.probe())
        try:
            return job.result()
        except Exception as error:
            raise self._workers.sentence(error) from error

    def _settle(self, job: Future[Answer], outcome: Future[Outcome]) -> None:
        with self._lock:
            self._jobs.discard(job)
        error: BaseException | None = CancelledError() if job.cancelled() else job.exception()
        if error is None:
            answer = job.result()
            for sentence in answer.warnings:
                self._workers.warn(sentence)
            outcome.set_result(answer.outcome)
        elif isinstance(error, CancelledError) and self._stopped.is_set():
            outcome.set_exception(InterruptedRunError("stopped before it began"))
        else:
            outcome.set_exception(self._workers.sentence(error))
