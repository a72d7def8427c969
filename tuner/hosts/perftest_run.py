# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A workload under way on hosts: the servers' agents first, then the clients', then what their meters tell.

Everything begins at one time on all hosts, which is chosen ahead; a host that is not ready by then makes the run worthless,
and the next one gets more time.
"""

import queue
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from tuner.hosts.abort_watch import AbortWatch
from tuner.hosts.counting import FlowCounter
from tuner.hosts.driver import HostLostError, Reading
from tuner.hosts.launchers.base import AgentSet, Event, Launcher
from tuner.hosts.plan import GRACE_S, Plan, Process, Side

LATE_S = 0.5
"""Seconds after the start of its segment within which a client must post; one that has not was not connected."""
OVERDUE_S = 10.0
"""After its end a workload's last words take no longer than this, of hosts that are still there."""
_WORDS_S = 1.0
"""Time after the end of a failed program within which its output arrives."""


class Clock(Protocol):
    """Offset of a node's clock from this machine's."""

    @property
    def offset_ns(self) -> int:
        """Nanoseconds by which its CLOCK_REALTIME is ahead of ours."""


class NotReadyError(HostLostError):
    """The host is there, but was not ready when the workload began."""


@dataclass
class _Heard:
    """State of one process, from its reports."""

    listens: bool = False
    clock: tuple[int, int] | None = None
    """(wall_ns, mono_ns) of its meter's first line."""
    posted: bool = False
    told_s: float = float("-inf")
    """Up to when, in the workload's time."""
    final: bool = False
    ended: str | None = None
    """Manner of its end, in words: `exit code 1`, `signal 9`; None while it runs."""
    output: str = ""


@dataclass
class _Agents:
    """One side's agents, and the thread that listens to them."""

    set: AgentSet
    thread: threading.Thread
    over: bool = False


@dataclass
class PerftestRun:
    """Implements TrafficRun. `clocks`: by node."""

    plan: Plan
    launcher: Launcher
    clocks: Mapping[str, Clock]
    lead_s: float
    abort_watch: AbortWatch
    notes: tuple[str, ...] = ()
    """Sentences that the measurement's readers must know."""
    failure: BaseException | None = None
    """Error that ended the readings early."""
    ready_s: float | None = None
    """From the beginning to when all programs were ready."""
    unseen: frozenset[str] = frozenset()
    """Nodes of whose agents nobody saw the end."""
    _agents: dict[Side, _Agents] = field(default_factory=dict)
    _queue: "queue.SimpleQueue[tuple[Side, str, Event | None]]" = field(default_factory=queue.SimpleQueue)
    _stopping: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._began_s = time.monotonic()
        self._start_ns = time.time_ns() + round(self.lead_s * 1e9)
        self._processes = {process.id: process for process in self.plan.processes}
        self._heard = {process.id: _Heard() for process in self.plan.processes}
        by_flow: dict[int, dict[str, float]] = {}
        for process in self.plan.processes:
            if process.measured:
                by_flow.setdefault(process.segment.flow, {})[process.id] = process.segment.start_s
        self._counters = {flow: FlowCounter(starts_s) for flow, starts_s in by_flow.items()}
        self._reporters: dict[tuple[str, str], str] = {}

    def begin(self) -> None:
        """Starts the servers."""
        self._launch("server")

    def readings(self) -> Iterator[Reading | None]:
        """As TrafficRun. Raises HostLostError, NotReadyError among them, and AbortError."""
        try:
            yield from self._readings()
        except GeneratorExit:
            raise
        except BaseException as error:
            self.failure = error
            raise

    def _readings(self) -> Iterator[Reading | None]:
        quiet_since_s = time.monotonic()
        while not all(counter.ended for counter in self._counters.values()):
            self._next(0.2)
            if "client" not in self._agents and all(
                self._heard[process.id].listens for process in self.plan.processes if process.side == "server"
            ):
                self._launch("client")
            self._check_progress()
            self.abort_watch.look()
            found = [Reading(flow, t_s, total) for flow, counter in self._counters.items() for t_s, total in counter.take()]
            yield from found
            if found or time.monotonic() - quiet_since_s > 0.5:
                quiet_since_s = time.monotonic()
                if not found:
                    yield None
        yield from [Reading(flow, t_s, total) for flow, counter in self._counters.items() for t_s, total in counter.take()]

    def stop(self) -> None:
        """As TrafficRun. A host that does not answer any more falls silent by itself: its meters know when to end, and this
        waits for that time."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        # Clients first, so that no server's end looks like a failure to them.
        for side in ("client", "server"):
            if side in self._agents:
                agents = self._agents[side]
                self.unseen |= agents.set.stop()
                agents.thread.join()
        if self.unseen:
            silent_ns = self._start_ns + round((self.plan.workload.duration_s + GRACE_S) * 1e9)
            time.sleep(max(0.0, (silent_ns - time.time_ns()) / 1e9))

    def facts(self) -> dict[str, Any]:
        """For the measurement's counters."""
        nodes = sorted({process.node for process in self.plan.processes})
        return {
            "verb": self.plan.verb,
            "interval_ms": self.plan.interval_ms,
            "programs": len(self.plan.processes),
            "lead_s": round(self.lead_s, 3),
            "ready_s": None if self.ready_s is None else round(self.ready_s, 3),
            **({"notes": list(self.notes)} if self.notes else {}),
            "clock_offsets_us": {node: round(self.clocks[node].offset_ns / 1000, 1) for node in nodes},
        }

    def _launch(self, side: Side) -> None:
        left_s = (self._start_ns - time.time_ns()) / 1e9
        starts = {process.node: self._start_ns + self.clocks[process.node].offset_ns for process in self.plan.processes}
        agents = self.launcher.start(self.plan.requests(side, starts, lead_s=max(left_s, 0.0)))
        thread = threading.Thread(target=self._listen, args=(side, agents), name=f"ibcc {side}s", daemon=True)
        self._agents[side] = _Agents(agents, thread)
        thread.start()

    def _listen(self, side: Side, agents: AgentSet) -> None:
        try:
            for item in agents.events():
                if item is not None and not self._stopping.is_set():
                    self._queue.put((side, *item))
        finally:
            self._queue.put((side, "", None))

    def _next(self, seconds: float) -> None:
        """Takes what there is, and waits at most `seconds` if there is nothing."""
        until_s = time.monotonic() + seconds
        while True:
            try:
                side, node, event = self._queue.get(timeout=max(0.0, until_s - time.monotonic()))
            except queue.Empty:
                return
            if event is None:
                self._agents[side].over = True
            else:
                self._hear(node, event)
            if self._queue.empty():
                return

    def _hear(self, node: str, event: Event) -> None:
        kind = event["event"]
        if kind == "meter":
            self._hear_meter(node, event["line"])
            return
        process = self._processes.get(str(event.get("id")))
        if kind == "error":
            raise HostLostError(node if process is None else process.host, str(event.get("sentence")))
        if process is None:
            return
        heard = self._heard[process.id]
        if kind == "listening":
            heard.listens = True
        elif kind == "output":
            heard.output = " ".join(str(event.get("text", "")).split())[-300:]
        elif kind == "ended":
            signal = event.get("signal")
            heard.ended = f"signal {signal}" if signal is not None else f"exit code {event.get('exit_code')}"
            if process.measured:
                self._counters[process.segment.flow].end(process.id)

    def _hear_meter(self, node: str, line: Mapping[str, Any]) -> None:
        process = self._processes.get(str(line.get("id")))
        if process is None:
            return
        heard, kind = self._heard[process.id], line.get("kind")
        if heard.clock is None:
            heard.clock = (int(line["wall_ns"]), int(line["mono_ns"]))
        if kind == "start":
            self._note_ready()
            return
        # The time is the monotonic clock's since the first line, so that a step of the other clock does not show as traffic.
        wall_ns = heard.clock[0] + int(line["mono_ns"]) - heard.clock[1]
        t_s = (wall_ns - self.clocks[node].offset_ns - self._start_ns) / 1e9
        counted = line if kind == "interval" else line.get("totals", {})
        heard.posted = heard.posted or int(counted.get("posted_bytes", 0)) > 0
        heard.told_s = t_s
        if kind == "interval":
            self._watch(process, line)
        if process.measured:
            self._count(process, t_s, kind == "final", counted)
        if kind == "final":
            heard.final = True

    def _count(self, process: Process, t_s: float, is_final: bool, counted: Mapping[str, Any]) -> None:
        counter, stop_s = self._counters[process.segment.flow], process.segment.stop_s
        key = ("" if is_final else "total_") + ("completed_bytes" if self.plan.verb == "write" else "received_bytes")
        # A client posts nothing after its segment's end, which is when its last bytes left, however late it tells.
        if process.side == "client" and t_s >= stop_s:
            if not is_final:
                return
            t_s = stop_s
        counter.add(process.id, t_s, int(counted.get(key, 0)))
        if is_final:
            counter.end(process.id)

    def _note_ready(self) -> None:
        if self.ready_s is None and all(heard.clock is not None for heard in self._heard.values()):
            self.ready_s = time.monotonic() - self._began_s

    def _watch(self, process: Process, line: Mapping[str, Any]) -> None:
        """Every program tells of its adapter's counters; one of each adapter's is listened to."""
        device = str(process.request["device"])
        reporter = self._reporters.get((process.node, device))
        if reporter is None or self._heard[reporter].final or self._heard[reporter].ended is not None:
            self._reporters[process.node, device] = reporter = process.id
        if reporter == process.id:
            for name, increase in line.get("counters", {}).items():
                self.abort_watch.counted(process.node, device, name, int(increase), line["length_ns"] / 1e9)

    def _check_progress(self) -> None:
        now_s = (time.time_ns() - self._start_ns) / 1e9
        self._check_agents()
        self._check_programs(now_s)
        if now_s > 0:
            for process in self.plan.processes:
                if self._heard[process.id].clock is None:
                    raise NotReadyError(
                        process.host, f"it was not ready when the workload began, {self.lead_s:.3g} s after it was requested"
                    )
        if now_s > self.plan.workload.duration_s + GRACE_S + OVERDUE_S:
            silent = next(process for process in self.plan.processes if process.measured and not self._is_over(process))
            raise HostLostError(silent.host, "it does not answer")

    def _check_agents(self) -> None:
        for side, agents in self._agents.items():
            failed = agents.set.failed
            for process in self.plan.processes:
                if process.side == side and process.node in failed:
                    raise HostLostError(process.host, failed[process.node])
                if process.side == side and agents.over and process.measured and not self._is_over(process):
                    raise HostLostError(process.host, "its agent has ended too early")

    def _check_programs(self, now_s: float) -> None:
        for process in self.plan.processes:
            heard, segment = self._heard[process.id], process.segment
            if process.side == "client" and heard.ended is not None and not heard.final:
                self._fail(process, heard)
            # A server is gone before its client was done with it.
            if process.side == "server" and heard.ended is not None and now_s < segment.stop_s - 0.1 and not heard.final:
                self._fail(process, heard)
            late = process.side == "client" and heard.clock is not None and not heard.posted and segment.steps[0].rate != "off"
            # Lateness is judged by the time that the program reports: its lines may take a while to arrive.
            if late and heard.told_s > segment.start_s + LATE_S:
                raise NotReadyError(
                    process.host, f"its program was not connected {LATE_S:g} s after its traffic should have begun"
                )

    def _fail(self, process: Process, heard: _Heard) -> None:
        until_s = time.monotonic() + _WORDS_S
        while not heard.output and time.monotonic() < until_s:
            self._next(0.1)
        said = f", saying: {heard.output}" if heard.output else ""
        raise HostLostError(process.host, f"{process.request['program']} as {process.side} ended with {heard.ended}{said}")

    def _is_over(self, process: Process) -> bool:
        heard = self._heard[process.id]
        return heard.final or heard.ended is not None
