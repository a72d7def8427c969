# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Ctrl-C and SIGTERM as a request to stop cleanly."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def stop_requested() -> Iterator[Callable[[], bool]]:
    """A function that tells whether somebody asked to stop; a second Ctrl-C ends the process as usual. In a thread other than the
    main one signals are left alone."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked.is_set
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def ask(number: int, frame: FrameType | None) -> None:
        asked.set()
        signal.signal(number, before[signal.Signals(number)])

    for number in before:
        signal.signal(number, ask)
    try:
        yield asked.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
