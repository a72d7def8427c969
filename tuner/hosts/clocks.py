# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Offsets of the clocks of hosts from this machine's, and their uncertainty.

A newline goes to the agent, which answers with its time. The answer was made at some moment between sending and receipt: the best
guess is the middle, and it is wrong by half the round trip at most, whatever the network did. So the shortest of several round
trips says most (Cristian 1989).
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from tuner.hosts.launchers.base import Event, Launcher

PATIENCE_S = 30.0


@dataclass(frozen=True)
class ClockOffset:
    """Offset of one host's CLOCK_REALTIME."""

    offset_ns: int
    """Its clock minus this machine's."""
    uncertainty_ns: int
    """The true offset is not farther away than this."""

    def local_ns(self, wall_ns: int) -> int:
        """A time on that host's clock, on this machine's."""
        return wall_ns - self.offset_ns

    def remote_ns(self, wall_ns: int) -> int:
        """A time on this machine's clock, on that host's."""
        return wall_ns + self.offset_ns


@dataclass(frozen=True)
class Clocks:
    """Offsets that were found, and nodes of which none was."""

    offsets: Mapping[str, ClockOffset]
    failed: Mapping[str, str]
    """Sentence on each node whose offset was not found."""


def measure_clocks(
    launcher: Launcher,
    nodes: Iterable[str],
    *,
    round_trips: int = 20,
    patience_s: float = PATIENCE_S,
    should_stop: Callable[[], bool] = lambda: False,
) -> Clocks:
    """Offsets of all nodes at once, from `round_trips` exchanges each. A node that has not answered all of them in time, or
    before `should_stop()`, counts with those that it has."""
    nodes = list(nodes)
    agents = launcher.start({node: {"op": "clock", "count": round_trips} for node in nodes})
    best: dict[str, ClockOffset] = {}
    until = time.monotonic() + patience_s
    try:
        for item in agents.events():
            if time.monotonic() > until or should_stop():
                break
            if item is None:
                continue
            node, event = item
            if event["event"] == "clock" and "sent_wall_ns" in event:
                found = _offset(event)
                if node not in best or found.uncertainty_ns < best[node].uncertainty_ns:
                    best[node] = found
            if event["event"] in ("hello", "clock"):
                agents.tick(node)  # what the agent does not count any more, it does not read
    finally:
        agents.stop()
    failed = {
        node: agents.failed.get(node, f"it did not report its time within {patience_s:g} s") for node in nodes if node not in best
    }
    return Clocks(best, failed)


def _offset(event: Event) -> ClockOffset:
    round_trip_ns = event["received_mono_ns"] - event["sent_mono_ns"]
    return ClockOffset(
        offset_ns=int(event["wall_ns"]) - (event["sent_wall_ns"] + round_trip_ns // 2), uncertainty_ns=-(-round_trip_ns // 2)
    )
