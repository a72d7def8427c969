# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Loop-back tests of one adapter: the request for its host's agent, and latency and bandwidth from what the meters say.

Each endpoint has two pairs of server and client, of 1 byte and of 128 KiB, one write in flight (Hostping, section 4.1.1). All
connect first; the meter holds each until its turn.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tuner.documents.inventory import InventoryHost
from tuner.errors import BadInputError
from tuner.hostping.reading import AdapterPort
from tuner.hosts.launchers.base import Event
from tuner.hosts.plan import GRACE_S

SMALL_BYTES, LARGE_BYTES = 1, 1 << 17
PAUSE_S = 0.1
"""Between two turns."""
INTERVALS = 10
_TABLE_HEADS = ("---", "#bytes")
MOST_TIMES_LINE_RATE = 10
"""An agent that reports more than this many times the port's rate is not believed."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One cell."""

    latency_us: float
    """Mean from post to polled completion of 1 byte."""
    bandwidth_gbps: float
    """Of the host's path, without the latency: equations 1 to 3 of Hostping."""


def turns(endpoints: Sequence[str]) -> list[tuple[str, int]]:
    """(endpoint, bytes), in the order in which they run."""
    return [(endpoint, size) for endpoint in endpoints for size in (SMALL_BYTES, LARGE_BYTES)]


def length_s(endpoints: Sequence[str], seconds: float) -> float:
    return len(turns(endpoints)) * (seconds + PAUSE_S) + GRACE_S


def request(
    host: InventoryHost,
    port: AdapterPort,
    memory_nodes: Mapping[str, int],
    *,
    start_ns: int,
    seconds: float,
    time_limit_s: int,
    gpus: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """Request of one adapter with all memories, and with `gpus`, numbers by name, of a host whose inventory has `gpus`.
    `start_ns`: by the host's clock. Raises BadInputError if the inventory gives the host fewer TCP ports than there are pairs."""
    processes: list[dict[str, Any]] = []
    endpoints = [*memory_nodes, *(gpus or {})]
    for place, (endpoint, size) in enumerate(turns(endpoints)):
        tcp_port = host.tcp_ports[0] + place
        if tcp_port > host.tcp_ports[1]:
            needed = len(turns(endpoints))
            raise BadInputError(
                f"its tcp_ports {host.tcp_ports[0]} to {host.tcp_ports[1]} are {host.tcp_ports[1] - host.tcp_ports[0] + 1}; "
                f"loop-back tests need {needed}"
            )
        common = {
            "device": port.name,
            "ib_port": port.ib_port,
            "tcp_port": tcp_port,
            "message_bytes": size,
            "tx_depth": 1,
            **_buffer(host, endpoint, memory_nodes, gpus or {}),
            "start_ns": start_ns + round(place * (seconds + PAUSE_S) * 1e9),
            "interval_ms": max(10, round(seconds * 1000 / INTERVALS)),
        }
        if port.is_ethernet and host.gid_index is not None:
            common["gid_index"] = host.gid_index
        name = identifier(port.name, endpoint, size)
        processes.append({**common, "id": f"{name}:s", "side": "server", "stop_s": seconds + GRACE_S})
        processes.append({**common, "id": name, "side": "client", "peer": host.address, "stop_s": seconds})
    return {"op": "run", "alone": True, "time_limit_s": time_limit_s, "processes": processes}


def _buffer(host: InventoryHost, endpoint: str, memory_nodes: Mapping[str, int], gpus: Mapping[str, int]) -> dict[str, str | int]:
    """The program, and where its buffer is. Without a node, a program runs where the kernel puts it."""
    if endpoint in memory_nodes or host.gpus is None:
        return {"program": "ib_write_bw", "numa_node": memory_nodes[endpoint]}
    return {"program": host.gpus.program, f"use_{host.gpus.kind}": gpus[endpoint]}


def identifier(adapter: str, endpoint: str, size: int) -> str:
    return f"{adapter[:40]}:{endpoint}:{size}"


def cells(events: Iterable[Event], port: AdapterPort, endpoints: Sequence[str]) -> tuple[dict[str, Measured], dict[str, str]]:
    """(what was measured by endpoint, why not for the others, as the end of a sentence)."""
    lines: dict[str, list[Mapping[str, Any]]] = {}
    words: dict[str, str] = {}
    for event in events:
        line = event.get("line")
        if event["event"] == "meter" and isinstance(line, dict) and line.get("kind") == "interval":
            lines.setdefault(str(line.get("id")), []).append(line)
        elif event["event"] in ("output", "error") and event.get("id") is not None:
            words[str(event["id"])] = _last_words(event)
    measured, failed = {}, {}
    for endpoint in endpoints:
        names = [identifier(port.name, endpoint, size) for size in (SMALL_BYTES, LARGE_BYTES)]
        try:
            small, large = (
                _microseconds(lines.get(name, []), size) for name, size in zip(names, (SMALL_BYTES, LARGE_BYTES), strict=True)
            )
            measured[endpoint] = _cell(small, large, port)
        except (ValueError, LookupError, TypeError) as error:
            said = next((words[key] for name in names for key in (name, f"{name}:s") if words.get(key)), None)
            failed[endpoint] = said or str(error)
    return measured, failed


def _last_words(event: Event) -> str:
    """Empty if the last line is the head of perftest's table: the program said nothing of why it ended."""
    said = str(event.get("text", event.get("sentence", ""))).strip().splitlines()
    return "" if not said or said[-1].lstrip().startswith(_TABLE_HEADS) else said[-1].strip()[:200]


def _microseconds(lines: Sequence[Mapping[str, Any]], size: int) -> float:
    """Mean time of a write. The first interval is left out: caches and translations are cold then. Raises ValueError."""
    if len(lines) < 3:
        raise ValueError("its meter sent too few lines")
    first, last = lines[0], lines[-1]
    took_ns, grown = last["mono_ns"] - first["mono_ns"], last["total_completed_bytes"] - first["total_completed_bytes"]
    if took_ns <= 0 or grown < size:
        raise ValueError("no write completed")
    return float(took_ns / 1e3 / (grown / size))


def _cell(small_us: float, large_us: float, port: AdapterPort) -> Measured:
    bandwidth_us = large_us - small_us
    gbps = (LARGE_BYTES - SMALL_BYTES) * 8e-3 / bandwidth_us if bandwidth_us > 0 else LARGE_BYTES * 8e-3 / large_us
    if port.line_gbps is not None and gbps > MOST_TIMES_LINE_RATE * port.line_gbps:
        raise ValueError(f"it reports {gbps:.0f} Gb/s, and its port has {port.line_gbps:g}")
    return Measured(latency_us=small_us, bandwidth_gbps=gbps)
