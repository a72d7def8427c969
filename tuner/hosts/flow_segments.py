# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A flow as perftest can send it: segments, each from one host to one other, at rates that change at given times.

A program of perftest connects to one peer. What the simulator draws message by message is therefore made coarser here: a flow
with many destinations stays with each for a while. Over many segments its load spreads as it should; within one it does not.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tuner.documents.expanded_flow import Bursts, ExpandedFlow
from tuner.documents.flow import Flow
from tuner.documents.patterns.draw import Draw
from tuner.errors import BadInputError

Rate: TypeAlias = float | Literal["max", "off"]
"""Payload in Gb/s, or all that there is, or nothing."""

MIN_SEGMENT_S = 0.1
"""Hosts start a segment within some milliseconds of each other, so shorter ones would be mostly that."""
MIN_BURST_S = 0.005
"""A host wakes up later than it asked for by up to a millisecond."""
MAX_STEPS = 200
"""Changes of rate in one segment."""
MAX_BYTES = 2**31 - 1
"""perftest's largest message."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """From `at_s` on, counted from the segment's start."""

    at_s: float
    rate: Rate


@dataclass(frozen=True, kw_only=True)
class FlowSegment:
    """`start_s` and `stop_s` are of the workload; `steps` begin at 0, ascending."""

    flow: int
    """Its position in the workload."""
    src: str
    dst: str
    start_s: float
    stop_s: float
    steps: tuple[Step, ...]


def flow_segments(index: int, flow: Flow, stop_s: float, *, dwell_s: float, seed: int) -> list[FlowSegment]:
    """All segments of a flow that ends at `stop_s`, in order of time; they do not overlap. `seed`: of what is drawn: the order of
    destinations, the lengths of random bursts.

    Raises BadInputError for a flow that perftest cannot send.
    """
    expanded = flow if isinstance(flow, ExpandedFlow) else None
    _check(flow, expanded)
    rate: Rate = "max" if flow.rate_gbps is None else flow.rate_gbps
    bursts = None if expanded is None else expanded.bursts
    draw = Draw(seed * 1_000_003 + index)
    changes = [(flow.start_s, rate)] if bursts is None else list(_bursts(bursts, rate, flow.start_s, stop_s, draw))
    found = []
    for begin_s, end_s, dst in _visits(flow, expanded, stop_s, dwell_s, draw):
        steps = _cut(changes, begin_s, end_s)
        if len(steps) > MAX_STEPS:
            raise BadInputError(
                f"it has {len(steps)} changes of rate in {end_s - begin_s:g} s with one host; at most {MAX_STEPS} are possible: "
                "longer bursts and pauses are needed"
            )
        found.append(FlowSegment(flow=index, src=flow.src, dst=dst, start_s=begin_s, stop_s=end_s, steps=steps))
    return found


def queue_depth(flow: Flow) -> int | None:
    """Number of messages that may be on the way at once, of a flow whose own messages alone allow the next ones; None: any.

    Raises BadInputError for one that waits for others.
    """
    loop = flow.loop if isinstance(flow, ExpandedFlow) else None
    if loop is None:
        return None
    if loop.grants != (flow.name,) or loop.needs != 1 or loop.think_us > 0:
        raise BadInputError("it begins a message only when another has arrived, which perftest's bandwidth tests cannot do")
    return loop.window


def _check(flow: Flow, expanded: ExpandedFlow | None) -> None:
    if flow.message_bytes > MAX_BYTES:
        raise BadInputError(f"its messages have {flow.message_bytes} bytes; perftest's largest has {MAX_BYTES}")
    if expanded is None:
        return
    if expanded.loop is not None:
        queue_depth(flow)
    if expanded.messages is not None:
        raise BadInputError(
            f"it consists of {len(expanded.messages)} messages of given times and sizes, and perftest repeats one size; "
            "backends 'simulated' and 'emulated' can send it"
        )
    bursts = expanded.bursts
    if bursts is not None and min(bursts.on_s, bursts.off_s) < MIN_BURST_S:
        shortest = min(bursts.on_s, bursts.off_s)
        raise BadInputError(f"it has bursts or pauses of {shortest:g} s; hosts can keep {MIN_BURST_S:g} s or more")
    places = expanded.destinations
    if places is not None and places.order == "moving" and places.period_s < MIN_SEGMENT_S:
        raise BadInputError(
            f"its hotspots move every {places.period_s:g} s; hosts need {MIN_SEGMENT_S:g} s or more with each, as each "
            "has its own connection"
        )


def _visits(
    flow: Flow, expanded: ExpandedFlow | None, stop_s: float, dwell_s: float, draw: Draw
) -> Iterator[tuple[float, float, str]]:
    """(from, to, host)."""
    if expanded is None or expanded.destinations is None:
        yield flow.start_s, stop_s, flow.dst
        return
    places = expanded.destinations
    segment_s = places.period_s if places.order == "moving" else max(dwell_s, MIN_SEGMENT_S)
    # The last visit takes a remainder along that is too short for one of its own.
    count = max(1, math.floor((stop_s - flow.start_s) / segment_s + 1e-9))
    if (stop_s - flow.start_s) - count * segment_s >= MIN_SEGMENT_S - 1e-9:
        count += 1
    others = [host for host in places.hosts if host != flow.src]
    if places.order == "cyclic" and flow.src in places.hosts:
        own = places.hosts.index(flow.src)
        others = [*places.hosts[own + 1 :], *places.hosts[:own]]
    previous = ""
    for k in range(count):
        if places.order == "moving":
            # A host that is the hotspot itself sends to the next one, as in the simulator.
            at = k % len(places.hosts)
            host = next(place for place in (*places.hosts[at:], *places.hosts[:at]) if place != flow.src)
        elif places.order == "cyclic":
            host = others[k % len(others)]
        else:
            # The same one twice in a row would be one longer segment, and its connection no new one.
            host = draw.sample([other for other in others if other != previous] or others, 1)[0]
        begin_s = round(flow.start_s + k * segment_s, 9)
        end_s = stop_s if k == count - 1 else round(begin_s + segment_s, 9)
        yield begin_s, end_s, host
        previous = host


def _bursts(bursts: Bursts, rate: Rate, start_s: float, stop_s: float, draw: Draw) -> Iterator[tuple[float, Rate]]:
    """(time, rate) of each change, on at first."""
    at_s, is_on = start_s, True
    while at_s < stop_s - 1e-9:
        yield at_s, rate if is_on else "off"
        mean_s = bursts.on_s if is_on else bursts.off_s
        # The mean is right, and nothing is shorter than a host can keep.
        length_s = MIN_BURST_S + draw.exponential(mean_s - MIN_BURST_S) if bursts.random else mean_s
        at_s, is_on = round(at_s + length_s, 9), not is_on


def _cut(changes: list[tuple[float, Rate]], begin_s: float, end_s: float) -> tuple[Step, ...]:
    """Returns the changes of a flow that fall into a segment; the first step is the rate in force at its start."""
    in_force: Rate = next((rate for at_s, rate in reversed(changes) if at_s <= begin_s), "off")
    later = [Step(at_s=round(at_s - begin_s, 9), rate=rate) for at_s, rate in changes if begin_s < at_s < end_s]
    return (Step(at_s=0.0, rate=in_force), *later)
