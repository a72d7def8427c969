# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Evaluations on a Dask cluster.

Dask runs a task again elsewhere when its worker is lost, and a trial is one task: whichever worker brings the result in, the
coordinator keeps one. docs/use/scale-out.md is for people.
"""

import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Executor
from contextlib import suppress
from importlib import metadata
from typing import Any

from tuner.campaign import dask_job
from tuner.campaign.dask_job import CallJob, JobContext, MeasureJob, ProbeJob, fabric_digest, fingerprint, task_prefix
from tuner.campaign.evaluation import Plan
from tuner.campaign.workers import Answer, LostWorkerError
from tuner.documents.fabric import FabricDocument
from tuner.errors import UnreachableError
from tuner.measuring.backend import Backend, Capabilities
from tuner.measuring.configuration import Configuration
from tuner.products import require_package

CONNECT_S = 10.0
WORKERS_S = 60.0
IDLE_S = 30.0
"""Seconds without work after which a worker restores and closes its backends: the coordinator may have been killed."""


class DaskWorkers:
    """The workers of the cluster whose scheduler is at `address`, such as `tcp://head:8786` or `tls://head:8786`.

    `fabrics`: the fabric documents by what workloads call them; workers must read the same. `workers_s`: how long to wait for
    the first worker; `parallel`: evaluations at once, by default as many as there are threads when it begins; `idle_s`: how long
    a worker without work keeps its backends; `on_warning` is told, from a thread, what backends have to say that were made with
    `on_warning=collect_warning`. A context. Raises UnreachableError at once if there is no such cluster, or not this ibcc on it.
    """

    elsewhere = True

    def __init__(
        self,
        address: str,
        fabrics: Mapping[str, FabricDocument],
        *,
        workers_s: float = WORKERS_S,
        parallel: int | None = None,
        idle_s: float = IDLE_S,
        on_warning: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self.address = address
        self._fabrics = fabrics
        self._idle_s = idle_s
        self._parallel = parallel
        self._on_warning = on_warning
        self._registered = ""
        self._client = _connected(address)
        try:
            self._await_worker(workers_s)
            self._check_versions()
        except BaseException:
            self._client.close()
            raise

    @property
    def threads(self) -> int:
        """Evaluations that the cluster can run at once now."""
        return sum(self._client.nthreads().values())

    def __enter__(self) -> "DaskWorkers":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._client.close()

    # Methods that the pool calls.

    def size(self, wanted: int) -> int:
        """Returns the number of evaluations at once. The number in a campaign is meant for one machine and is ignored."""
        return self._parallel or self.threads

    def start(self, open_backend: Callable[[], Backend], size: int) -> None:
        from tuner.campaign.dask_plugin import SessionPlugin

        token = secrets.token_hex(8)
        self._context = JobContext(
            token=token,
            open_backend=open_backend,
            fingerprint=fingerprint(),
            fabrics={name: fabric_digest(fabric) for name, fabric in self._fabrics.items()},
        )
        self._client.register_plugin(SessionPlugin(token, self._idle_s))
        self._registered = task_prefix(token)
        # pure=False: a trial's key is its own, so that what was measured once is not taken for another trial's result.
        self._executor: Executor = self._client.get_executor(pure=False)

    @property
    def executor(self) -> Executor:
        return self._executor

    def probe(self) -> Callable[[], Capabilities]:
        return ProbeJob(self._context)

    def measure(self) -> Callable[[Configuration, Plan], Answer]:
        return MeasureJob(self._context)

    def call(self) -> CallJob:
        """A job for work that is not an evaluation."""
        return CallJob(self._context)

    def stop(self) -> None:
        """The pool has cancelled the tasks; SessionPlugin ends them."""

    def close(self) -> None:
        if not self._registered:
            return
        name, self._registered = self._registered, ""
        # Waits until every worker has restored its backends. A cluster that is gone has nobody to wait for.
        with suppress(OSError, ValueError, TimeoutError, CancelledError, RuntimeError):
            self._client.unregister_worker_plugin(name)

    def warn(self, sentence: str) -> None:
        self._on_warning(sentence)

    def sentence(self, error: BaseException) -> BaseException:
        from distributed import KilledWorker

        if isinstance(error, KilledWorker):
            return LostWorkerError(f"a Dask worker was lost with it each of {error.allowed_failures + 1} times")
        if isinstance(error, CancelledError):
            return UnreachableError(f"the Dask scheduler at {self.address} is gone; finished trials are kept")
        return error

    # Checks that run before any work.

    def _await_worker(self, workers_s: float) -> None:
        try:
            self._client.wait_for_workers(1, timeout=workers_s)
        except TimeoutError as error:
            raise UnreachableError(
                f"no worker has joined the Dask cluster at {self.address} within {workers_s:g} s; "
                f"start some with: dask worker {self.address}"
            ) from error

    def _check_versions(self) -> None:
        """In two steps: what ibcc defines can only be asked for where there is an ibcc."""
        for worker, version in self._everywhere(metadata.version, "ibcc").items():
            if isinstance(version, BaseException):
                raise UnreachableError(
                    f"the Dask worker at {worker} has no ibcc; install ibcc {metadata.version('ibcc')} in its environment"
                )
        for worker, version in self._everywhere(dask_job.fingerprint).items():
            if version != fingerprint():
                raise UnreachableError(
                    f"the Dask worker at {worker} has ibcc {version}, here it is {fingerprint()}; install the same on both"
                )

    def _everywhere(self, function: Callable[..., object], *arguments: object) -> dict[str, object]:
        answers: dict[str, object] = self._client.run(function, *arguments, on_error="return")
        return answers


def _connected(address: str) -> Any:
    require_package("distributed", f"--dask {address}")
    from distributed import Client

    try:
        return Client(address, timeout=CONNECT_S, set_as_default=False, name="ibcc")  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError) as error:
        raise UnreachableError(
            f"no Dask scheduler is responding at {address}; an address such as tcp://HOST:8786 would be right"
        ) from error
