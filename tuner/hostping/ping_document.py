# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One host's row as plain JSON: for `ibcc hosts ping`, for the service, and for whoever prints or draws either."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from tuner.hostping.matrix import Cell
from tuner.hostping.path_states import path_states
from tuner.hostping.ping import HostPing
from tuner.hostping.published import LinkMark, published
from tuner.hostping.topology import HostTopology

_VALUES = ("bandwidth_gbps", "latency_us", "baseline_bandwidth_gbps", "baseline_latency_us")


def fleet_document(inventory: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The rows of a run that ends now. `inventory`: its name."""
    return {
        "inventory": inventory,
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "hosts": list(rows),
    }


def host_document(row: HostPing) -> dict[str, Any]:
    """Rates in Gb/s, latencies in µs, both with four digits. `state` of a cell: of its path, None if it was not judged."""
    measured, found = row.measured, row.diagnosis
    topology = None if measured.inside is None else measured.inside.topology
    return {
        "node": measured.host.node,
        "host": measured.host.host,
        "verdict": row.verdict.value,
        "sentence": row.sentence,
        "confidence": row.confidence.value,
        "model": None if measured.inside is None else measured.inside.model,
        "baseline": None if row.baseline is None else {"hosts": row.baseline.hosts, "date": row.baseline.date},
        "adapters": [] if topology is None else list(topology.adapter_names),
        "endpoints": [] if topology is None else list(topology.endpoints),
        "gpus": 0 if topology is None else len(topology.gpus),
        "parts": [] if topology is None else _parts(topology),
        "cells": _cells(row),
        "slow_paths": [] if found is None else [list(place) for place in found.slow_paths],
        "links": []
        if found is None or topology is None
        else [
            {
                "link": link.link,
                "name": topology.describe(link.link),
                "state": link.state.value,
                "others": list(link.others),
                "cause": None if link.cause is None else link.cause.value,
                "advice": link.advice,
            }
            for link in found.links.values()
        ],
        "algorithm_1": _by_algorithm_1(row),
        "not_measured": dict(measured.not_measured),
        "not_readable": [] if measured.inside is None else [dict(part) for part in measured.inside.not_readable],
        "redirected": [] if measured.inside is None else list(measured.inside.redirected),
        "degraded": [] if measured.inside is None else list(measured.inside.degraded),
        "busy": [] if row.matrix is None else sorted(row.matrix.busy),
    }


def _parts(topology: HostTopology) -> list[dict[str, Any]]:
    """Where each memory, adapter and GPU is: its socket, and the links between the socket and the device, the socket's end
    first."""
    memories: list[dict[str, Any]] = [
        {"name": name, "socket": socket, "root_port": None, "links": []} for name, socket in topology.memories.items()
    ]
    devices = [
        {
            "name": device.name,
            "socket": device.socket,
            "root_port": device.root_port,
            "links": list(topology.way_up(device)),
        }
        for device in (*topology.adapters, *topology.gpus)
    ]
    return memories + devices


def _cells(row: HostPing) -> list[dict[str, Any]]:
    if row.matrix is None or row.measured.inside is None:
        return []
    states = path_states(row.measured.inside.topology, row.matrix)
    return [
        {
            "adapter": place[0],
            "endpoint": place[1],
            **_values(cell),
            "state": states[place].value if place in states else None,
        }
        for place, cell in row.matrix.cells.items()
    ]


def _values(cell: Cell) -> Mapping[str, float | None]:
    return {name: None if (value := getattr(cell, name)) is None else round(value, 4) for name in _VALUES}


def _by_algorithm_1(row: HostPing) -> dict[str, Any] | None:
    """What the paper's algorithm names, beside ibcc's rule."""
    if row.matrix is None or row.measured.inside is None:
        return None
    found = published(row.measured.inside.topology, row.matrix)
    grey = sorted(link for link, mark in found.marks.items() if mark is LinkMark.GREY)
    return {"named": list(found.named), "grey": grey, "adapters": dict(found.counts)}
