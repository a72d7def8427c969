# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Requests to each host's agent for a workload: programs of perftest, which of them listen or connect, and when they send.

All programs of a run are started before it, connect, and are held by the meter until their segment begins, so no connection is
made while traffic runs.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.hosts.flow_segments import FlowSegment, Step, flow_segments, queue_depth
from tuner.hosts.settings import Verb

PROGRAMS: Mapping[Verb, str] = {"write": "ib_write_bw", "send": "ib_send_bw", "read": "ib_read_bw"}

MAX_PROCESSES = 64
"""Greatest number of programs that an agent takes in one request, unless its own file says less."""
GRACE_S = 1.0
"""Seconds by which a server outlives its client, so that all that was sent has arrived and no client loses its peer."""
LINES_PER_S = 4000
"""Intervals of all programs together; what one coordinator reads and sorts without falling behind."""

Side = Literal["server", "client"]


@dataclass(frozen=True, kw_only=True)
class Seat:
    """Place of a host of the fabric, from the inventory."""

    node: str
    """The name that the launcher reaches it by."""
    address: str
    """Address that its peers connect to by TCP, to exchange the queue pairs' numbers."""
    device: str
    ib_port: int = 1
    gid_index: int | None = None
    tcp_ports: tuple[int, int] = (18515, 18999)
    """First and last."""


@dataclass(frozen=True, kw_only=True)
class Process:
    """One program on one host."""

    id: str
    host: str
    """The fabric's name."""
    node: str
    side: Side
    segment: FlowSegment
    measured: bool
    """Its meter counts what the segment has brought to its end."""
    request: Mapping[str, Any]
    """What the agent is sent, without `start_ns`."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All programs of one run."""

    workload: Workload
    verb: Verb
    interval_ms: int
    processes: tuple[Process, ...]

    def requests(self, side: Side, start_ns: Mapping[str, int], *, lead_s: float) -> dict[str, dict[str, Any]]:
        """Returns the request to each node's agent. `start_ns`: by node, the workload's start by that node's own clock. `lead_s`:
        how far ahead that is."""
        by_node: dict[str, list[dict[str, Any]]] = {}
        for process in self.processes:
            if process.side == side:
                begins_ns = start_ns[process.node] + round(process.segment.start_s * 1e9)
                by_node.setdefault(process.node, []).append({**process.request, "start_ns": begins_ns})
        limit_s = self.limit_s(lead_s)
        return {node: {"op": "run", "time_limit_s": limit_s, "processes": found} for node, found in by_node.items()}

    def limit_s(self, lead_s: float) -> int:
        """Returns the seconds after which agents end whatever is left."""
        return math.ceil(lead_s + self.workload.duration_s + 2 * GRACE_S + 10)


def plan(
    workload: Workload,
    seats: Mapping[str, Seat],
    *,
    verb: Verb = "write",
    dwell_s: float = 1.0,
    interval_ms: int | None = None,
    seed: int = 1,
    first_port: int = 0,
) -> Plan:
    """`seats`: by the workload's references, of all hosts that it needs. `first_port`: where in the hosts' port ranges to begin,
    so that a run does not meet the ports of the one before.

    Raises BadInputError for a flow that cannot be sent so, and for more than a host can take.
    """
    found: list[FlowSegment] = []
    for index, flow in enumerate(workload.flows):
        try:
            found += flow_segments(index, flow, workload.stop_of(flow), dwell_s=dwell_s, seed=seed)
        except BadInputError as error:
            sentence = f"backend 'cluster' cannot send this with perftest: {error.sentence}"
            raise workload.bad_flow(index, sentence) from error
    interval = interval_ms or _interval_ms(workload, found)
    ports = _Ports(seats, first_port)
    processes: list[Process] = []
    for number, segment in enumerate(found):
        processes += _pair(workload, segment, number, seats, verb, interval, ports.next)
    _check_counts(processes)
    return Plan(workload=workload, verb=verb, interval_ms=interval, processes=tuple(processes))


def schedule_text(steps: Sequence[Step]) -> str:
    """As the meter reads it: `0=max,0.5=off,1=12.5`, in seconds and Gb/s."""
    return ",".join(f"{_decimal(step.at_s)}={step.rate if isinstance(step.rate, str) else _decimal(step.rate)}" for step in steps)


def _decimal(value: float) -> str:
    """Never with an exponent."""
    return f"{value:.9f}".rstrip("0").rstrip(".") or "0"


def _pair(
    workload: Workload,
    segment: FlowSegment,
    number: int,
    seats: Mapping[str, Seat],
    verb: Verb,
    interval_ms: int,
    next_port: Callable[[str], int],
) -> tuple[Process, Process]:
    """RDMA READ is asked for by whoever gets the data, so there the receiver is the client."""
    flow = workload.flows[segment.flow]
    client, server = (segment.dst, segment.src) if verb == "read" else (segment.src, segment.dst)
    port = next_port(server)
    common: dict[str, Any] = {
        "program": PROGRAMS[verb],
        "tcp_port": port,
        "message_bytes": flow.message_bytes,
        "qps": flow.qps,
        "sl": flow.sl,
        "interval_ms": interval_ms,
    }
    if (depth := queue_depth(flow)) is not None:
        common["tx_depth"] = depth
    length_s = round(segment.stop_s - segment.start_s, 9)
    own = {
        "server": {"schedule": "0=max", "stop_s": round(length_s + GRACE_S, 9)},
        "client": {"schedule": schedule_text(segment.steps), "stop_s": length_s, "peer": seats[server].address},
    }

    def process(side: Side, host: str) -> Process:
        seat, identity = seats[host], f"{side}-{segment.flow}-{number}"
        device: dict[str, Any] = {"device": seat.device, "ib_port": seat.ib_port}
        if seat.gid_index is not None:
            device["gid_index"] = seat.gid_index
        return Process(
            id=identity,
            host=host,
            node=seat.node,
            side=side,
            segment=segment,
            measured=side == ("server" if verb == "send" else "client"),
            request={"id": identity, "side": side, **device, **common, **own[side]},
        )

    return process("server", server), process("client", client)


class _Ports:
    """Hands out the TCP ports of each node's range in turn, each once a run."""

    def __init__(self, seats: Mapping[str, Seat], first: int) -> None:
        self._seats, self._first = seats, first
        self._used: dict[str, int] = {}

    def next(self, host: str) -> int:
        seat = self._seats[host]
        low, high = seat.tcp_ports
        used = self._used.get(seat.node, 0)
        if used > high - low:
            raise BadInputError(
                f"node '{seat.node}' would have to listen on more than its {high - low + 1} TCP ports, {low} to {high}: "
                "add ports in the inventory (tcp_ports), or choose a longer backend.dwell_s"
            )
        self._used[seat.node] = used + 1
        return low + (self._first + used) % (high - low + 1)


def _check_counts(processes: Sequence[Process]) -> None:
    counts: dict[tuple[str, Side], int] = {}
    for process in processes:
        counts[process.node, process.side] = counts.get((process.node, process.side), 0) + 1
    for (node, side), count in counts.items():
        if count > MAX_PROCESSES:
            raise BadInputError(
                f"node '{node}' would run {count} programs as {side}, and its agent takes at most {MAX_PROCESSES}: choose a "
                "longer backend.dwell_s, or a shorter workload"
            )


def _interval_ms(workload: Workload, found: Sequence[FlowSegment]) -> int:
    """The samples' own interval, unless so many programs count at a time that this would be too many lines."""
    changes = sorted([(segment.start_s, 1) for segment in found] + [(segment.stop_s, -1) for segment in found])
    active = most = 0
    for _, change in changes:
        active += change
        most = max(most, active)
    # Both ends of a segment tell.
    fewest_ms = 1000 * 2 * most / LINES_PER_S
    return min(1000, max(10, round(workload.sample_interval_s * 1000), math.ceil(fewest_ms)))
