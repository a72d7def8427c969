# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Job of a Dask worker: an evaluation on a backend that the worker's process keeps open between evaluations.

A job carries all that it needs, so that workers may come and go: how to open a backend, what the coordinator's ibcc is, and
what its fabric documents hold. A job knows its task's key, by which it learns that nobody waits for it any more.
"""

import functools
import hashlib
import json
import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TypeVar

import ccsim
import tuner
from tuner.campaign.evaluation import Plan
from tuner.campaign.open_backends import OpenBackends
from tuner.campaign.workers import Answer
from tuner.documents.fabric import FabricDocument
from tuner.errors import BadInputError, InterruptedRunError, UnreachableError
from tuner.fabric.one_subnet import found_fabric
from tuner.measuring.backend import Backend, Capabilities
from tuner.measuring.configuration import Configuration

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class JobContext:
    """The same for all jobs of a campaign's session. Picklable, if `open_backend` is."""

    token: str
    """Names the session; no two sessions have the same."""
    open_backend: Callable[[], Backend]
    fingerprint: str
    """Fingerprint of the coordinator's ibcc."""
    fabrics: Mapping[str, str]
    """Digest of each fabric document, by what workloads call it."""


@dataclass(frozen=True)
class _Job:
    """Callable on a worker; Dask names its tasks after `__name__`."""

    context: JobContext

    @property
    def __name__(self) -> str:
        return task_prefix(self.context.token)


class ProbeJob(_Job):
    def __call__(self) -> Capabilities:
        return _session(self.context).backends.probe()


class MeasureJob(_Job):
    def __call__(self, configuration: Configuration, plan: Plan) -> Answer:
        session = _session(self.context)
        with session.cancellation(_task_key()) as cancelled:
            outcome = session.backends.measure(configuration, plan, cancelled)
        return Answer(outcome, _drained_warnings())


class CallJob(_Job):
    """Calls a function, and tells it by `should_stop()` when nobody waits for its result any more."""

    def __call__(self, function: Callable[[Callable[[], bool]], T]) -> T:
        session = _session(self.context)
        with session.cancellation(_task_key()) as cancelled:
            return function(lambda: cancelled() or self.context.token in _closed)


def task_prefix(token: str) -> str:
    return f"ibcc-{token}"


class WorkerSession:
    """One session in one worker's process, with the tasks that are to end early."""

    def __init__(self, open_backend: Callable[[], Backend], cancelled: Iterable[str]) -> None:
        """`cancelled`: keys of tasks for which there was no session yet."""
        self.backends = OpenBackends(open_backend)
        self._lock = threading.Lock()
        self._cancelled = set(cancelled)
        self._running: dict[str, threading.Event] = {}

    def cancel(self, key: str) -> None:
        """Ends a task's evaluation, or has it end as soon as it begins. Must not block."""
        with self._lock:
            if key in self._running:
                self._running[key].set()
            else:
                self._cancelled.add(key)

    @contextmanager
    def cancellation(self, key: str) -> Iterator[Callable[[], bool]]:
        """Yields a function that tells whether the task has been cancelled."""
        event = threading.Event()
        with self._lock:
            if key in self._cancelled:
                event.set()
            self._running[key] = event
        try:
            yield event.is_set
        finally:
            with self._lock:
                del self._running[key]
                self._cancelled.discard(key)


_sessions: dict[str, WorkerSession] = {}
_sessions_lock = threading.Lock()  # held while a session is checked, which takes a while
# Tokens of sessions that are over: a task that was cancelled too late to be kept from beginning must not begin another.
_closed: set[str] = set()
# Keys of tasks that were cancelled before their session was there.
_cancelled_early: set[str] = set()
_early_lock = threading.Lock()
_warnings: queue.SimpleQueue[str] = queue.SimpleQueue()


def collect_warning(sentence: str) -> None:
    """For backends on workers: the sentence travels to the coordinator with the next answer."""
    _warnings.put(sentence)


def open_session(token: str) -> WorkerSession | None:
    return _sessions.get(token)


def cancel_task(token: str, key: str) -> None:
    """Ends a task's evaluation, or has it end as soon as it begins. Must not block."""
    with _early_lock:
        session = _sessions.get(token)
        if session is None:
            if token not in _closed:
                _cancelled_early.add(key)
            return
    session.cancel(key)


def close_session(token: str) -> None:
    """Ends what is being measured in this process, restores and closes the backends, and lets no task of the session begin any
    more. Idempotent."""
    with _sessions_lock, _early_lock:
        _closed.add(token)
        _cancelled_early.difference_update(_early_of(token))
        session = _sessions.pop(token, None)
    if session is not None:
        session.backends.close()


@functools.cache
def fingerprint() -> str:
    """The version of ibcc, and a digest of its Python sources: two states of a working tree have the same version."""
    digest = hashlib.sha256()
    for package in (tuner, ccsim):
        folder = Path(package.__path__[0])
        for file in sorted(folder.rglob("*.py")):
            digest.update(str(file.relative_to(folder)).encode() + b"\0" + file.read_bytes())
    return f"{metadata.version('ibcc')} ({digest.hexdigest()[:12]})"


def fabric_digest(fabric: FabricDocument) -> str:
    return hashlib.sha256(json.dumps(fabric.model_dump(mode="json"), sort_keys=True).encode()).hexdigest()[:16]


def _session(context: JobContext) -> WorkerSession:
    with _sessions_lock:
        if context.token in _closed:
            raise InterruptedRunError("the campaign's session is over")
        session = _sessions.get(context.token)
        if session is None:
            _check(context)
            with _early_lock:
                cancelled = _early_of(context.token)
                _cancelled_early.difference_update(cancelled)
                session = _sessions[context.token] = WorkerSession(context.open_backend, cancelled)
        return session


def _early_of(token: str) -> set[str]:
    return {key for key in _cancelled_early if key.startswith(f"{task_prefix(token)}-")}


def _check(context: JobContext) -> None:
    """Once for each worker: measurements under other code or on another fabric must not get into the campaign."""
    if fingerprint() != context.fingerprint:
        raise UnreachableError(
            f"a Dask worker has ibcc {fingerprint()}, the coordinator has {context.fingerprint}; install the same on both"
        )
    for reference, digest in context.fabrics.items():
        try:
            here = fabric_digest(found_fabric(reference))
        except BadInputError as error:
            raise UnreachableError(
                f"a Dask worker cannot read fabric '{reference}' ({error.sentence}); put it where all machines see the same file"
            ) from error
        if here != digest:
            raise UnreachableError(
                f"fabric '{reference}' on a Dask worker is not the coordinator's; put it where all machines see the same file"
            )


def _task_key() -> str:
    from distributed import get_worker

    return str(get_worker().get_current_task())


def _drained_warnings() -> tuple[str, ...]:
    sentences = []
    with suppress(queue.Empty):
        while True:
            sentences.append(_warnings.get_nowait())
    return tuple(dict.fromkeys(sentences))
