# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Queues of all ports over time, from a run that has traced them."""

import numpy as np

import ccsim
from tuner.documents.fabric import End
from tuner.fabric.built_fabric import BuiltFabric
from tuner.measuring.port_series import PortSeries


def port_series(built: BuiltFabric, model: ccsim.Model, result: ccsim.Result) -> PortSeries:
    """Returns the series of a run with `trace_occupancy`. Raises ValueError if the run has traced no queues."""
    if result.occupancy_bytes is None or result.waited_ns is None:
        raise ValueError("the run has traced no queues; a simulation with trace_occupancy=True does")
    ends = zip(result.ports["node"].tolist(), result.ports["port"].tolist(), strict=True)
    ports = tuple(End(node, port) for node, port in ends)
    interval_s = result.sample_interval_s
    return PortSeries(
        interval_s=interval_s,
        ports=ports,
        queued_bytes=result.occupancy_bytes,
        waited=np.minimum(result.waited_ns / np.float32(interval_s * 1e9), np.float32(1)),
        hosts=tuple(End(node, port) for node, port in built.fabric.endports),
        received_gbps=result.host_received_bytes.astype(np.float64) * (8e-9 / interval_s),
        buffer_bytes=model.switch.input_buffer_bytes,
        special_queues=None if result.special_queues is None else result.special_queues[_far_ends(built, ports)],
    )


def _far_ends(built: BuiltFabric, ports: tuple[End, ...]) -> list[int]:
    """The position in `ports` of the other end of each port's link."""
    place = {port: i for i, port in enumerate(ports)}
    peer = {one: other for _, a, b in built.document.ends() for one, other in ((a, b), (b, a))}
    return [place[peer[port]] for port in ports]
