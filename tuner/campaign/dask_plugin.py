# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tells a Dask worker's evaluations that nobody waits for them any more, and closes backends when a worker or a session ends.

Dask cannot end a thread. When a task is cancelled, or the coordinator is gone and its tasks with it, the scheduler releases the
task on its worker; that transition is where an evaluation learns that it is to end. Nothing polls.
"""

import asyncio
from typing import Any

from distributed import Worker, WorkerPlugin

from tuner.campaign.dask_job import cancel_task, close_session, open_session, task_prefix

_FINISHED = ("memory", "error")


class SessionPlugin(WorkerPlugin):
    """Plugin of one session, on every worker, those included that join later."""

    def __init__(self, token: str, idle_s: float) -> None:
        self.name = task_prefix(token)
        self._token = token
        self._idle_s = idle_s

    def setup(self, worker: Worker) -> None:
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._executing: set[str] = set()

    def transition(self, key: Any, start: str, finish: str, **kwargs: Any) -> None:
        """Called on the worker's event loop, for the tasks of everybody: must be quick."""
        if not str(key).startswith(f"{self.name}-"):
            return
        if finish == "executing":
            self._executing.add(str(key))
        elif start in ("executing", "long-running"):
            self._executing.discard(str(key))
            if finish not in _FINISHED:
                cancel_task(self._token, str(key))
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if self._executing else self._loop.call_later(self._idle_s, self._close_idle)

    async def teardown(self, worker: Worker) -> None:
        if self._timer is not None:
            self._timer.cancel()
        await asyncio.to_thread(close_session, self._token)  # restoring a fabric may take a while

    def _close_idle(self) -> None:
        session = open_session(self._token)
        if session is not None:
            self._loop.run_in_executor(None, session.backends.close_idle)
