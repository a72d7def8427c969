# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Places for passwords that are hashed, which takes 64 MiB and all lanes of a processor for each: there are a few, in threads of
their own, and a few may wait for them. Who finds none is refused at once, before anything is done for them, so that those who
hash many passwords hold up neither the event loop nor the threads that serve all other requests.
"""

import asyncio
import contextlib
import contextvars
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from api.access import passwords
from api.base.problems import Unavailable

PLACES = 2
"""Passwords that are hashed at once, 64 MiB each."""
WAITING = 8
"""Requests that wait for such a place; they take no thread meanwhile."""

_RETRY_S = 2
_NICE = 19
"""Other requests are served first: a hash may take longer."""

T = TypeVar("T")


def _step_back() -> None:
    with contextlib.suppress(OSError):  # on Linux, a thread has a niceness of its own
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)


_free = threading.BoundedSemaphore(PLACES + WAITING)
_threads = ThreadPoolExecutor(PLACES, thread_name_prefix="ibcc-hash", initializer=_step_back)


class Place:
    """The right to hash; `place()` gives it."""

    async def hash_password(self, password: str) -> str:
        return await self._run(passwords.hash_password, password)

    async def verify_password(self, password: str, password_hash: str | None) -> bool:
        return await self._run(passwords.verify_password, password, password_hash)

    async def _run(self, work: Callable[..., T], *arguments: str | None) -> T:
        context = contextvars.copy_context()
        return await asyncio.wrap_future(_threads.submit(context.run, work, *arguments))


@contextlib.contextmanager
def place() -> Iterator[Place]:
    """Raises Unavailable, with Retry-After, where all places are taken and others wait for them already."""
    if not _free.acquire(blocking=False):
        raise Unavailable(
            f"Too many passwords are being checked at this moment; try again in {_RETRY_S} seconds.",
            headers={"Retry-After": str(_RETRY_S)},
        )
    try:
        yield Place()
    finally:
        _free.release()
