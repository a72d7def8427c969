# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Agents under way: a ClusterShell task in a thread of its own, and what its workers tell in a queue."""

import json
import logging
import queue
import resource
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ClusterShell.Event import EventHandler
from ClusterShell.Task import Task
from ClusterShell.Worker.Exec import ExecWorker

from tuner.errors import UnreachableError
from tuner.hosts.launchers.base import Event, Request
from tuner.hosts.launchers.clients import Info

GRACE_S, GRACE_EACH_S = 10.0, 0.02
"""Longest time, in seconds, until agents have ended whose standard input has ended: 2 s until they kill, and the way there and
back; and for each agent, the time that this machine takes to see its end."""
_LATEST_WORDS_BYTES = 2048
_DESCRIPTORS_EACH = 4

WorkerOf = Callable[[str, EventHandler], ExecWorker]

# It tells the log of pipes that broke, as those of hosts that are down do: `failed` says that.
logging.getLogger("ClusterShell").addHandler(logging.NullHandler())
logging.getLogger("ClusterShell").propagate = False


class ClusterShellAgents:
    """The AgentSet of all launchers; they differ in the worker that stands for a node."""

    def __init__(self, requests: Mapping[str, Request], worker_of: WorkerOf, *, fanout: int, info: Info) -> None:
        self._handler = _Handler({node: _line(request) for node, request in requests.items()}, worker_of, fanout, info)
        self._count = len(requests)
        self._handler.thread.start()
        self._handler.is_up.wait()

    @property
    def failed(self) -> Mapping[str, str]:
        return MappingProxyType(dict(self._handler.failed))

    def events(self) -> Iterator[tuple[str, Event] | None]:
        while True:
            try:
                item = self._handler.told.get(timeout=0.5)
            except queue.Empty:
                yield None
                continue
            if item is None:
                self._handler.told.put(None)  # for whoever asks again
                self._handler.thread.join()
                crash = self._handler.crash
                if isinstance(crash, OSError):  # no more processes, or no more open files
                    raise UnreachableError(f"agents could not be started: {crash}") from crash
                if crash is not None:
                    raise crash
                return
            yield item

    def tick(self, node: str) -> None:
        self._handler.ask("tick", node)

    def stop(self) -> frozenset[str]:
        self._handler.ask("end", None)
        self._handler.thread.join(GRACE_S + GRACE_EACH_S * self._count)
        if self._handler.thread.is_alive():
            self._handler.ask("kill", None)
            self._handler.thread.join()
        return frozenset(self._handler.unseen)


class _Handler(EventHandler):
    """Lives in the task's thread, but for `ask` and what it hands out."""

    def __init__(self, lines: Mapping[str, bytes], worker_of: WorkerOf, fanout: int, info: Info) -> None:
        self.failed: dict[str, str] = {}
        self.unseen: set[str] = set()
        """Nodes whose agent was started and not seen to end."""
        self.told: queue.SimpleQueue[tuple[str, Event] | None] = queue.SimpleQueue()
        self.crash: BaseException | None = None
        self.is_up = threading.Event()
        self.thread = threading.Thread(target=self._run, name="ibcc-agents", daemon=True)
        self._lines, self._worker_of, self._fanout, self._info = lines, worker_of, fanout, info
        self._waiting = deque(lines)
        self._coming_up: set[str] = set()
        self._workers: dict[str, ExecWorker] = {}
        self._words: dict[str, bytes] = {}
        self._is_done: set[str] = set()
        self._ticked: dict[str, deque[Event]] = {}
        self._asked: queue.SimpleQueue[tuple[str, str | None]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._port: Any = None
        self._is_ending = False

    def ask(self, what: str, node: str | None) -> None:
        with self._lock:
            if self._port is not None:
                self._asked.put((what, node))
                self._port.msg_send(None)

    def _run(self) -> None:
        task = None
        try:
            task = Task(thread=threading.current_thread())
            _allow_descriptors(len(self._lines) * _DESCRIPTORS_EACH)
            task.set_default("stdout_msgtree", False)
            task.set_default("stderr_msgtree", False)
            task.set_info("fanout", len(self._lines) + 1)  # agents stay: what is limited is how many come up at a time
            for key, value in self._info.items():
                task.set_info(key, value)
            self._port = task.port(handler=self, autoclose=True)
            self._fill(task)
            self.is_up.set()
            task.resume()
        except BaseException as error:
            self.crash = error
        finally:
            with self._lock:
                self._port = None
            if task is not None:
                task.abort(kill=True)
            self.is_up.set()
            self.told.put(None)

    def _fill(self, task: Task) -> None:
        while self._waiting and len(self._coming_up) < self._fanout:
            node = self._waiting.popleft()
            worker = self._worker_of(node, self)
            self._coming_up.add(node)
            self._workers[node] = worker
            worker.write(self._lines[node])
            task.schedule(worker)

    def ev_read(self, worker: ExecWorker, node: str, sname: str, msg: bytes) -> None:
        if sname == worker.SNAME_STDERR:
            self._words[node] = (self._words.get(node, b"") + msg + b"\n")[-_LATEST_WORDS_BYTES:]
            return
        wall_ns, mono_ns = time.time_ns(), time.monotonic_ns()
        event = _event(msg)
        if event is None:
            if node not in self.failed:
                self._fail(node, f"its agent sent '{msg[:100].decode(errors='replace')}', which is not an event of an agent")
            worker.abort()
            return
        event |= {"received_wall_ns": wall_ns, "received_mono_ns": mono_ns}
        if event["event"] == "clock" and self._ticked.get(node):
            event |= self._ticked[node].popleft()
        elif event["event"] == "hello":
            self._coming_up.discard(node)
            self.unseen.add(node)
        elif event["event"] == "done":
            self._is_done.add(node)
        self.told.put((node, event))
        self._fill(worker.task)

    def ev_hup(self, worker: ExecWorker, node: str, rc: int) -> None:
        # ssh ends with 255 for reasons of its own; the agent has not been seen to end then.
        if rc <= 3 or node in self._is_done:
            self.unseen.discard(node)
        if node not in self._is_done and not self._is_ending:
            words = self._words.get(node, b"").decode(errors="replace").strip()
            self._fail(node, words.splitlines()[-1] if words else f"its agent ended with exit code {rc}")

    def ev_close(self, worker: ExecWorker, timedout: bool) -> None:
        (node,) = worker.nodes
        self._coming_up.discard(node)
        self._workers.pop(node, None)
        self._fill(worker.task)

    def ev_msg(self, port: object, msg: object) -> None:
        what, node = self._asked.get()
        if what == "tick":
            if node in self._workers:
                sent = {"sent_wall_ns": time.time_ns(), "sent_mono_ns": time.monotonic_ns()}
                self._ticked.setdefault(node, deque()).append(sent)
                self._workers[node].write(b"\n")
            return
        self._is_ending = True
        self._waiting.clear()
        for worker in list(self._workers.values()):
            if what == "kill":
                worker.abort()
            else:
                worker.set_write_eof()

    def _fail(self, node: str, sentence: str) -> None:
        self.failed.setdefault(node, sentence)


def _line(request: Request) -> bytes:
    return json.dumps(request, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def _event(line: bytes) -> Event | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    is_event = isinstance(event, dict) and event.get("ibcc_agent") == 1 and isinstance(event.get("event"), str)
    return event if is_event else None


def _allow_descriptors(needed: int) -> None:
    """Raises the limit of open files to `needed` and some more, as far as this process may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = needed + 256
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
