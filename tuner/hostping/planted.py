# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Matrices of hosts with planted faults, for experiments and tests: a path has the least of what its links carry.

The rates are those of Hostping's machine (section 3.2.2, Fig. 4): 196 Gb/s to affinitive endpoints, 125.5 to GPUs under another
root port, 116.4 across sockets; latency inside the host 1, 2.2 and 2.4 µs.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from tuner.hostping.matrix import Cell, Matrix, Place
from tuner.hostping.topology import HostTopology

LINE_RATE_GBPS, OTHER_ROOT_PORT_GBPS, OTHER_SOCKET_GBPS = 196.0, 125.5, 116.4
NEAR_US, OTHER_ROOT_PORT_US, OTHER_SOCKET_US = 1.0, 2.2, 2.4


@dataclass(frozen=True, kw_only=True)
class Faults:
    links_gbps: Mapping[str, float] = field(default_factory=dict)
    """What a slow link carries, by its name."""
    busy_gbps: Mapping[str, float] = field(default_factory=dict)
    """Bandwidth that a busy adapter leaves for loop-back, by its name."""
    late_gpus: frozenset[str] = frozenset()
    """GPUs whose traffic goes through the root complex, as with ACS on or ATS off."""
    triggered_by: str | None = None
    noise: float = 0.0
    """Relative standard deviation of each measured value."""


def planted_matrix(topology: HostTopology, faults: Faults, seed: int = 0) -> Matrix:
    """What an idle or busy host with these faults measures."""
    drawn = random.Random(seed)
    places = [(adapter, endpoint) for adapter in topology.adapter_names for endpoint in topology.endpoints]
    return Matrix(
        cells={place: _cell(topology, faults, place, drawn) for place in places},
        busy=frozenset(faults.busy_gbps),
        triggered_by=faults.triggered_by,
    )


def baseline(topology: HostTopology, place: Place) -> tuple[float, float]:
    """(Gb/s, µs) of a host without faults."""
    adapter, endpoint = place
    if topology.is_affinitive(adapter, endpoint):
        return LINE_RATE_GBPS, NEAR_US
    is_across = any(link.startswith("sockets:") for link in topology.path(adapter, endpoint))
    return (OTHER_SOCKET_GBPS, OTHER_SOCKET_US) if is_across else (OTHER_ROOT_PORT_GBPS, OTHER_ROOT_PORT_US)


def _cell(topology: HostTopology, faults: Faults, place: Place, drawn: random.Random) -> Cell:
    adapter, endpoint = place
    full_gbps, full_us = baseline(topology, place)
    gbps, us = full_gbps, full_us
    if endpoint in faults.late_gpus:
        gbps, us = min(gbps, OTHER_ROOT_PORT_GBPS), max(us, OTHER_ROOT_PORT_US)
    for link in topology.path(adapter, endpoint):
        gbps = min(gbps, faults.links_gbps.get(link, gbps))
    gbps = min(gbps, faults.busy_gbps.get(adapter, gbps))
    return Cell(
        bandwidth_gbps=gbps * max(0.05, drawn.gauss(1, faults.noise)),
        latency_us=us * max(0.05, drawn.gauss(1, faults.noise)),
        baseline_bandwidth_gbps=full_gbps,
        baseline_latency_us=full_us,
    )
