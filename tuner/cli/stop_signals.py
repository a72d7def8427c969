# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Ctrl-C and SIGTERM as a request to stop cleanly."""

import os
import select
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


def await_stop() -> None:
    """Waits until somebody asks to stop. REQUIRES: the main thread."""
    # The number of a signal is written there by whichever thread gets it, so none slips in between the question and the wait.
    arrived, arriving = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    before = signal.set_wakeup_fd(arriving, warn_on_full_buffer=False)
    try:
        with stop_requested() as stopped:
            while not stopped():
                select.select([arrived], [], [])
                os.read(arrived, 64)
    finally:
        signal.set_wakeup_fd(before)
        os.close(arrived)
        os.close(arriving)


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


@contextmanager
def sigterm_as_ctrl_c() -> Iterator[None]:
    """SIGTERM raises KeyboardInterrupt, so that what is held is given back. In a thread other than the main one it is left
    alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
