# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Many measurements on simulated fabrics, several at once, each finished one kept: docs/use/scale-out.md has the Dask cluster."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import Future, as_completed
from pathlib import Path
from typing import TypeVar

from experiments._common.run import Run, measure_one
from experiments._common.run_places import dask_cluster, threads
from experiments._common.run_store import RunStore
from tuner.measuring.measurement import Measurement

__all__ = ["Run", "measure_all", "measure_one", "read_all", "seeds"]

Key = TypeVar("Key", bound=Hashable)
Reading = TypeVar("Reading")


def measure_all(
    runs: Mapping[Key, Run],
    *,
    workers: int | None = None,
    dask: str | None = None,
    folder: Path | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> dict[Key, Measurement]:
    """The measurement of every run, under its key and in the same order. `folder`: where finished ones are kept; the others as
    those of read_all."""
    kept = RunStore.kept_in(folder, Measurement.to_json, Measurement.from_json)
    return read_all(runs, whole, workers=workers, dask=dask, kept=kept, on_progress=on_progress)


def whole(measurement: Measurement) -> Measurement:
    return measurement


def read_all(
    runs: Mapping[Key, Run],
    reading: Callable[[Measurement], Reading],
    *,
    workers: int | None = None,
    dask: str | None = None,
    kept: RunStore[Reading] | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> dict[Key, Reading]:
    """Measures like measure_all, but keeps only what `reading` makes of each measurement.

    Measurements of hundreds of hosts are megabytes each.

    `workers`: threads, by default one for each processor. `dask`: address of a scheduler, whose workers measure instead;
    `reading` is a function of a module then. `kept`: finished runs, which are taken from there and put there at once, so that a
    call that was interrupted is resumed by the next one. `on_progress` is told the part of the runs that is done.

    Raises what the first failing run raises, and UnreachableError if the cluster is unavailable; runs in progress end at once.
    """
    read = {} if kept is None else kept.recalled(runs, reading)
    left = {key: run for key, run in runs.items() if key not in read}
    if read:
        on_progress(len(read) / len(runs))
    if left:
        with threads(workers) if dask is None else dask_cluster(dask) as place:
            futures: dict[Future[Reading], Key] = {place(run, reading): key for key, run in left.items()}
            for future in as_completed(list(futures)):
                key = futures.pop(future)
                read[key] = future.result()
                if kept is not None:
                    kept.keep(left[key], reading, read[key])
                on_progress(len(read) / len(runs))
    return {key: read[key] for key in runs}


def seeds(count: int, first: int = 1) -> Sequence[int]:
    """Returns `count` seeds, from `first` on."""
    return range(first, first + count)
