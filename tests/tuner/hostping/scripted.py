# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Agents that are a function of node and request, in place of processes: what hosts answer, and how they fail."""

import itertools
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.perftest_mods.agent.made_up_sysfs import MadeUpHost
from tests.perftest_mods.agent.test_attacks import ibcc_agent
from tuner.hosts.launchers.base import Event, Request

Answer = Callable[[str, Request], list[Event] | str | tuple[list[Event], str]]
"""Events of one agent; or why it failed, as the launcher says it; or both."""


class ScriptedAgents:
    def __init__(self, requests: Mapping[str, Request], answer: Answer) -> None:
        ((node, request),) = requests.items()
        found = answer(node, request)
        events, why = found if isinstance(found, tuple) else ([], found) if isinstance(found, str) else (found, None)
        self.failed: Mapping[str, str] = {} if why is None else {node: why}
        self._items = [(node, {**event, "received_wall_ns": time.time_ns()}) for event in events]

    def events(self) -> Iterator[tuple[str, Event] | None]:
        yield from self._items

    def tick(self, node: str) -> None: ...

    def stop(self) -> frozenset[str]:
        return frozenset()


class ScriptedLauncher:
    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.asked: list[tuple[str, Request]] = []

    def start(self, requests: Mapping[str, Request]) -> ScriptedAgents:
        self.asked += requests.items()
        return ScriptedAgents(requests, self.answer)


def topology_event(folder: Path, host: MadeUpHost, name: str = "sys") -> Event:
    """What a real agent says of a made-up host."""
    config = {**ibcc_agent.DEFAULTS, "sysfs": str(host.write(folder / name))}
    return {"ibcc_agent": 1, "event": "topology", **dict(ibcc_agent.topology(config))}


def use_event(**changes: Any) -> Event:
    ports = [{"device": f"mlx5_{n}", "port": 1, "sent_gbps": 0.1, "received_gbps": 0.0, "counters": {}} for n in (0, 1)]
    cpus = {"busy_share": 0.02, "by_node": {"0": 0.03, "1": 0.01}}
    return {
        "ibcc_agent": 1,
        "event": "use",
        "cpus": cpus,
        "ports": ports,
        "memory_gbps": None,
        "cards": {},
        "not_readable": [],
        **changes,
    }


def hello() -> Event:
    return {"ibcc_agent": 1, "event": "hello", "wall_ns": time.time_ns()}


def error(sentence: str) -> Event:
    return {"ibcc_agent": 1, "event": "error", "id": None, "sentence": sentence}


def run_events(request: Request, rates: Callable[[str, str], tuple[float, float]]) -> list[Event]:
    """Meter's lines of each client, by what an adapter and an endpoint have in Gb/s and µs."""
    events = [hello()]
    for process in request["processes"]:
        if process["side"] == "client":
            adapter, _, rest = process["id"].partition(":")
            endpoint, _, size = rest.rpartition(":")
            gbps, us = rates(adapter, endpoint)
            each_us = us + int(size) * 8e-3 / gbps
            for number in itertools.islice(itertools.count(1), 5):
                line = {
                    "ibcc_meter": 1, "kind": "interval", "id": process["id"], "mono_ns": number * 10**8,
                    "total_completed_bytes": int(number * 1e5 / each_us) * int(size),
                }  # fmt: skip
                events.append({"ibcc_agent": 1, "event": "meter", "line": line})
    return events
