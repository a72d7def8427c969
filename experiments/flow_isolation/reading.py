# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Reads a run: keeps throughput over time, of all flows and of single ones, and input ports without a free queue."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tuner.goals.sample_window import window_samples
from tuner.goals.series import Series
from tuner.measuring.measurement import Measurement, sample_ends

FEW_FLOWS = 12
"""Up to so many flows, each one's series is kept."""
EXHAUSTED = "ports_without_free_queue"
"""Counter of schemes that isolate congested flows: input ports of switches without a free queue for another congestion tree, at
the end of each sample."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    interval_s: float
    total_gbps: list[float]
    """Payload that all hosts receive, by sample."""
    flows_gbps: dict[str, list[float]] = field(default_factory=dict)
    """The same of each flow, where there are few."""
    exhausted_ports: list[int] | None = None
    """By sample; None if the scheme isolates nothing."""
    cpu_s: float
    packet_hops: int

    @classmethod
    def of(cls, measurement: Measurement) -> "Reading":
        few = len(measurement.flows) <= FEW_FLOWS
        return cls(
            interval_s=measurement.interval_s,
            total_gbps=measurement.gbps.sum(axis=0).tolist(),
            flows_gbps={flow.name: row.tolist() for flow, row in zip(measurement.flows, measurement.gbps, strict=True) if few},
            exhausted_ports=measurement.counters.get("scheme", {}).get("series", {}).get(EXHAUSTED),
            cpu_s=measurement.performance.cpu_s,
            packet_hops=measurement.performance.packet_hops or 0,
        )

    def mean_gbps(self, window_s: tuple[float, float], flow: str | None = None) -> float:
        """Mean over a part of the run, of all or of one flow."""
        series = self.total_gbps if flow is None else self.flows_gbps[flow]
        return float(np.mean(series[self._samples(window_s)]))

    def samples(self, window_s: tuple[float, float]) -> Sequence[float]:
        """The total in a part of the run, by sample."""
        return self.total_gbps[self._samples(window_s)]

    def exhausted(self, window_s: tuple[float, float]) -> Sequence[int]:
        """Ports without a free queue in a part of the run; none if the scheme isolates nothing."""
        return [] if self.exhausted_ports is None else self.exhausted_ports[self._samples(window_s)]

    def _samples(self, window_s: tuple[float, float]) -> slice:
        return window_samples(window_s, self.interval_s, len(self.total_gbps))


def ends_ms(reading: Reading) -> Series:
    """Ends of the samples in ms."""
    return sample_ends(len(reading.total_gbps), reading.interval_s) * 1e3
