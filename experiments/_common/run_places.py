# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Places where runs are made: threads of this process, as the simulator releases the GIL, or a Dask cluster."""

import functools
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Generic, TypeAlias, TypeVar

from experiments._common.run import Run, measure_one
from experiments._common.run_identity import reading_identity, simulator_identity
from tuner.backends.registry import create_backend
from tuner.campaign.dask_workers import DaskWorkers
from tuner.documents.fabric import load_fabric
from tuner.documents.fabric_text import fabric_text
from tuner.errors import UnreachableError
from tuner.measuring.measurement import Measurement

Reading = TypeVar("Reading")
Place: TypeAlias = Callable[[Run, Callable[[Measurement], Any]], Future[Any]]
"""Starts a run, and returns the future of what the function reads from it."""


@contextmanager
def threads(count: int | None = None) -> Iterator[Place]:
    """`count` threads, by default one for each processor. An exception in the context ends the runs in progress."""
    stop = threading.Event()
    with ThreadPoolExecutor(max_workers=count or os.cpu_count()) as pool:
        try:
            yield lambda run, read: pool.submit(lambda: read(measure_one(run, stop.is_set)))
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


@contextmanager
def dask_cluster(address: str) -> Iterator[Place]:
    """The workers of the cluster whose scheduler is at `address`, such as `tcp://head:8786`; as many runs at once as they have
    threads. Fabrics travel with the runs. An exception in the context ends the runs in progress. Raises UnreachableError if
    there is no such cluster, it is lost, or it does not have the same ibcc."""
    texts: dict[str, str] = {}
    jobs: list[Future[Any]] = []
    with DaskWorkers(address, {}) as workers:
        workers.start(functools.partial(create_backend, "simulated"), workers.threads)
        call = workers.call()

        def place(run: Run, read: Callable[[Measurement], Any]) -> Future[Any]:
            name = run.fabric_name()
            if name not in texts:
                texts[name] = fabric_text(load_fabric(name))
            workload, profile = run.documents()
            resolved = replace(run, workload=workload, profile=profile, profile_settings={}, time_scale=1.0)
            job = FarRun(resolved, texts[name], read, simulator_identity(), reading_identity(read))
            jobs.append(workers.executor.submit(call, job))
            return jobs[-1]

        try:
            yield place
        except BaseException as error:
            for job in jobs:
                job.cancel()
            if (sentence := workers.sentence(error)) is not error:
                raise sentence from error
            raise


@dataclass(frozen=True)
class FarRun(Generic[Reading]):
    """A run that another machine makes. Can be pickled, if `read` can."""

    run: Run
    """The run with documents in place of names."""
    fabric: str
    """Text of the fabric's document."""
    read: Callable[[Measurement], Reading]
    simulator: str
    reading: str
    """The coordinator's identities, which must be the worker's."""

    def __call__(self, should_stop: Callable[[], bool]) -> Reading:
        if (simulator_identity(), reading_identity(self.read)) != (self.simulator, self.reading):
            raise UnreachableError("a Dask worker has another simulator or another experiment; install the same ibcc on both")
        with TemporaryDirectory() as folder:
            path = Path(folder) / "fabric.yaml"
            path.write_text(self.fabric, encoding="utf-8")
            return self.read(measure_one(replace(self.run, fabric=str(path)), should_stop))
