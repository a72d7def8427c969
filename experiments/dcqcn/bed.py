# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Senders and a receiver on one switch of NVIDIA's kind, and what is read from a run there."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import ccsim
from ccsim.policy import Profile
from experiments.dcqcn.settings import LINE_GBPS, MTU_BYTES, RATE, WIRE_BYTES, Settings
from tuner.documents.device_model import device_model, nested
from tuner.goals.series import Series

SAMPLE_S = 5e-6
PAYLOAD_GBPS = LINE_GBPS * MTU_BYTES / WIRE_BYTES
"""What a full link delivers."""


@dataclass(frozen=True, kw_only=True)
class Run:
    gbps: Series
    """Payload received by flow, shape (flows, samples of 5 µs)."""
    queue_bytes: Series
    """Bytes that wait for the port to the receiver, shape (samples,)."""
    marked: int
    sent: int
    """Packets that this port has marked and sent, from the start on."""

    def tail(self, from_s: float) -> "Run":
        first = round(from_s / SAMPLE_S)
        return Run(gbps=self.gbps[:, first:], queue_bytes=self.queue_bytes[first:], marked=self.marked, sent=self.sent)

    @property
    def total_gbps(self) -> float:
        return float(self.gbps.mean(axis=1).sum())

    @property
    def apart(self) -> float:
        """How far the flow that is farthest from the fair share is from it, as a part of that."""
        means = self.gbps.mean(axis=1)
        return float(np.abs(means / means.mean() - 1).max())


@dataclass(frozen=True, kw_only=True)
class Steady:
    """A run without its beginning."""

    run: Run
    share: float
    """Part of the packets that is marked."""

    @property
    def mean_queue_bytes(self) -> float:
        return float(self.run.queue_bytes.mean())


def simulate(settings: Settings, starts_s: Sequence[float], seconds: float, *, seed: int = 1) -> Run:
    """A flow for each of `starts_s`, each from a host of its own to one receiver."""
    fabric = ccsim.Fabric(mtu_bytes=MTU_BYTES)
    hosts = len(starts_s) + 1
    switch = fabric.add_node("S1", "switch", guid=1, num_ports=hosts)
    for port in range(1, hosts + 1):
        node = fabric.add_node(f"H{port}", "host", guid=100 + port, num_ports=1)
        fabric.connect(node, 1, switch, port, rate=RATE)
    for node in range(hosts + 1):
        fabric.set_dialect(node, "nvidia-dcqcn")
    fabric.route_by("minhop")
    flows = [ccsim.Flow(src=i, dst=hosts - 1, start_s=start_s) for i, start_s in enumerate(starts_s)]
    result = ccsim.Simulation(
        fabric,
        flows,
        tables=Profile.from_dict(settings.profile()).resolve(fabric),
        model=device_model(nested(settings.model()), mtu_bytes=MTU_BYTES),
        seed=seed,
        duration_s=seconds,
        sample_interval_s=SAMPLE_S,
        trace_occupancy=True,
    ).run()
    assert result.occupancy_bytes is not None
    root = hosts - 1  # the switch's ports come first
    return Run(
        gbps=result.received_bytes.astype(np.float64) * 8e-9 / SAMPLE_S,
        queue_bytes=result.occupancy_bytes[root].astype(np.float64),
        marked=int(result.ports["fecn_marked"][root]),
        sent=int(result.ports["xmit_packets"][root]),
    )


def steady(settings: Settings, flows: int, *, warmup_s: float, seconds: float) -> Steady:
    """Flows that all start at 0, from `warmup_s` on. Counters of the warm-up are those of the same run, cut short."""
    starts = [0.0] * flows
    before, whole = simulate(settings, starts, warmup_s), simulate(settings, starts, warmup_s + seconds)
    return Steady(run=whole.tail(warmup_s), share=(whole.marked - before.marked) / (whole.sent - before.sent))
