# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Several long pieces of work at once, each on a thread of its own."""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeAlias, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
Work: TypeAlias = Callable[[Item, Callable[[float], None], Callable[[], bool]], Result]
"""Is called with an item, `on_progress` for the part of the item's work that is done, and `should_stop`."""


def side_by_side(
    work: Work[Item, Result],
    items: Sequence[Item],
    *,
    workers: int | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> list[Result]:
    """Returns the result of each item, in their order. `workers`: items at once, by default one for each processor. `on_progress`
    is told the mean over the items. Raises what the first failing item raises; work in progress is asked to stop then."""
    stop, lock = threading.Event(), threading.Lock()
    done = [0.0] * len(items)

    def one(place: int) -> Result:
        def told(fraction: float) -> None:
            with lock:
                done[place] = fraction
                on_progress(sum(done) / len(done))

        result = work(items[place], told, stop.is_set)
        told(1.0)
        return result

    with ThreadPoolExecutor(max_workers=workers or os.cpu_count()) as pool:
        try:
            futures = [pool.submit(one, place) for place in range(len(items))]
            for future in as_completed(futures):
                future.result()
            return [future.result() for future in futures]
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
