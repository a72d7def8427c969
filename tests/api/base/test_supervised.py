# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Threads that start again when they fail."""

import threading

from api.base.supervised import Supervised


def test_a_thread_that_fails_starts_again_and_says_so() -> None:
    rounds, working, done = [], threading.Event(), threading.Event()

    def work() -> None:
        rounds.append(1)
        if len(rounds) < 3:
            raise KeyError("x")
        working.set()
        done.wait(60)

    one = Supervised("tests", work, first_pause_s=0.01)
    one.start()
    assert working.wait(60)
    assert one.trouble() is None
    assert one.remark() == "The thread for tests was started again 2 times since the service began, last after KeyError."
    done.set()
    one.end()
    one.join(60)
    assert one.trouble() == "The thread for tests has ended; restart the service."


def test_while_it_pauses_it_is_in_trouble_and_its_end_does_not_wait() -> None:
    failed = threading.Event()

    def work() -> None:
        failed.set()
        raise KeyError("x")

    one = Supervised("tests", work, first_pause_s=3600)
    one.start()
    assert failed.wait(60)
    while one.trouble() is None:
        one.join(0.01)
    assert one.trouble() == "The thread for tests has failed (KeyError) and starts again; the log has the details."
    assert one.remark() is None
    one.end()
    one.join(60)
    assert not one.is_alive()
