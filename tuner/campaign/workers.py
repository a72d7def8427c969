# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Workers, on which a campaign's evaluations run: the seam between the pool and threads, or machines."""

from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, ThreadPoolExecutor
from typing import NamedTuple, Protocol

from tuner.campaign.evaluation import Plan
from tuner.campaign.open_backends import OpenBackends, Outcome
from tuner.errors import UnreachableError
from tuner.measuring.backend import Backend, Capabilities
from tuner.measuring.configuration import Configuration


class Answer(NamedTuple):
    """Outcome of an evaluation on a worker."""

    outcome: Outcome
    warnings: tuple[str, ...] = ()
    """Warnings of the worker's backend; empty if the backend runs in this process and reports them itself."""


class LostWorkerError(UnreachableError):
    """Workers died while they measured something, so often that it is not given to another one."""


class Workers(Protocol):
    """Lifetime: `start`, then any number of jobs on `executor`, `stop` where they are to end early, and `close` in any ending."""

    elsewhere: bool
    """In other processes, any of which may be given any job."""

    @property
    def executor(self) -> Executor: ...

    def size(self, wanted: int) -> int:
        """Evaluations at once, where the campaign says `wanted`."""

    def start(self, open_backend: Callable[[], Backend], size: int) -> None:
        """Gets ready for `size` evaluations at once, on backends from `open_backend`. Raises UnreachableError."""

    def probe(self) -> Callable[[], Capabilities]:
        """A job: what a worker's backend can do."""

    def measure(self) -> Callable[[Configuration, Plan], Answer]:
        """A job: measures a configuration."""

    def stop(self) -> None:
        """Ends the jobs that run. Those that were cancelled end by themselves."""

    def close(self) -> None:
        """Waits for the jobs to end; restores and closes every backend."""

    def warn(self, sentence: str) -> None:
        """Tells people what a backend elsewhere had to say. Called from threads."""

    def sentence(self, error: BaseException) -> BaseException:
        """The failure of a job as people are to be told it: CancelledError, say, of a job that nobody here has cancelled."""


class ThreadWorkers:
    """Threads of this process. They suffice on one machine: a simulation releases the GIL, a real fabric is waited for."""

    elsewhere = False

    def size(self, wanted: int) -> int:
        return wanted

    def start(self, open_backend: Callable[[], Backend], size: int) -> None:
        self._backends = OpenBackends(open_backend)
        self._executor = ThreadPoolExecutor(size, thread_name_prefix="measure")

    @property
    def executor(self) -> Executor:
        return self._executor

    def probe(self) -> Callable[[], Capabilities]:
        return self._backends.probe

    def measure(self) -> Callable[[Configuration, Plan], Answer]:
        return self._measure

    def stop(self) -> None:
        self._backends.stop()

    def close(self) -> None:
        self._backends.stop()
        self._executor.shutdown(wait=True, cancel_futures=True)
        self._backends.close()

    def warn(self, sentence: str) -> None:
        """Backends here say so themselves."""

    def sentence(self, error: BaseException) -> BaseException:
        return UnreachableError("the worker threads were ended") if isinstance(error, CancelledError) else error

    def _measure(self, configuration: Configuration, plan: Plan) -> Answer:
        return Answer(self._backends.measure(configuration, plan))
