# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The backends of one process: reused, restored and closed whatever happens."""

import threading
from collections.abc import Callable

import pytest

from tests.tuner.campaign.analytic import AnalyticBackend
from tuner.campaign.open_backends import OpenBackends
from tuner.campaign.setup import Setup
from tuner.errors import InterruptedRunError, UnreachableError
from tuner.measuring.configuration import Configuration

Load = Callable[..., Setup]


class Opened(list[AnalyticBackend]):
    """Makes backends, and remembers them."""

    def __call__(self) -> AnalyticBackend:
        backend = AnalyticBackend()
        self.append(backend)
        return backend


def test_one_after_the_other_is_measured_on_one_backend(load: Load) -> None:
    setup, opened = load(), Opened()
    backends = OpenBackends(opened)
    assert backends.probe().name == "analytic"
    for _ in range(3):
        backends.measure(Configuration(setup.expert), setup.search)
    backends.close()
    (backend,) = opened
    assert backend.calls == ["open", "apply", "apply", "apply", "restore", "close"]


def test_after_an_idle_while_another_is_opened(load: Load) -> None:
    setup, opened = load(), Opened()
    backends = OpenBackends(opened)
    backends.measure(Configuration(setup.expert), setup.search)
    backends.close_idle()
    assert opened[0].calls[-2:] == ["restore", "close"]
    backends.measure(Configuration(setup.expert), setup.search)
    backends.close()
    assert [backend.calls[-2:] for backend in opened] == [["restore", "close"]] * 2


def test_closing_ends_what_is_measured_and_waits_for_it(load: Load) -> None:
    setup = load()
    began = threading.Event()

    class Slow(AnalyticBackend):
        def apply(self, profile):  # type: ignore[no-untyped-def]
            began.set()
            return super().apply(profile)

    backend = Slow(takes_s=600)
    backends = OpenBackends(lambda: backend)
    failures: list[BaseException] = []

    def measure() -> None:
        try:
            backends.measure(Configuration(setup.expert), setup.search)
        except InterruptedRunError as error:
            failures.append(error)

    thread = threading.Thread(target=measure)
    thread.start()
    assert began.wait(60)
    backends.close()
    assert backend.calls == ["open", "apply", "restore", "close"]
    thread.join(60)
    assert len(failures) == 1
    with pytest.raises(InterruptedRunError):
        backends.measure(Configuration(setup.expert), setup.search)


def test_a_backend_that_cannot_be_opened_is_closed() -> None:
    class Unreachable(AnalyticBackend):
        def open(self):  # type: ignore[no-untyped-def]
            super().open()
            raise UnreachableError("S1 does not answer")

    backend = Unreachable()
    backends = OpenBackends(lambda: backend)
    with pytest.raises(UnreachableError, match="S1 does not answer"):
        backends.probe()
    backends.close()
    assert backend.calls == ["open", "close"]


def test_a_backend_that_is_not_restored_keeps_no_other_from_it(load: Load) -> None:
    class Stuck(AnalyticBackend):
        def restore(self) -> None:
            super().restore()
            raise UnreachableError("S1 does not answer")

    setup = load()
    backends = [AnalyticBackend(takes_s=0.3), Stuck(takes_s=0.3)]
    left = list(backends)
    opened = OpenBackends(left.pop)
    threads = [threading.Thread(target=opened.measure, args=(Configuration(setup.expert), setup.search)) for _ in backends]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    with pytest.raises(UnreachableError):
        opened.close()
    assert [backend.calls[-2:] for backend in backends] == [["restore", "close"]] * 2
