# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The figures that are kept of a run on the fat tree."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from experiments.fat_tree_648.bed import INJECT_GBPS, INTERVAL_S
from tuner.measuring.measurement import Measurement

CURED = 0.9
"""Victims that get this part of what they send are cured."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Throughputs in Gb/s; means are over the whole run, from the empty fabric on."""

    hotspots_gbps: float | None
    """Received by each hotspot, all traffic; None without hotspots, or where they move."""
    non_hotspots_gbps: float
    """The same of each other host."""
    total_gbps: float
    mean_gbps: float
    """The total by hosts."""
    settled_total_gbps: float
    """In the last quarter of the run."""
    settled_jain: float | None
    """Jain index of the contributors in the last quarter: how equal they are."""
    cured_ms: float | None
    """Time from which the victims, all of whom send all they can, are cured for good; None: never."""
    becns_per_fecn: float | None
    """CNPs that reached their source, as a part of the marked packets that were received."""
    victims_gbps: Sequence[float]
    """Received from the victims together, a sample each, to 1 Mb/s."""
    contributors_gbps: Sequence[float]
    """The same of the contributors."""
    cpu_s: float
    packet_hops: int

    def until(self, stop_s: float) -> float:
        """The total from the start to `stop_s`, which is a multiple of the sample interval."""
        samples = round(stop_s / INTERVAL_S)
        return float(np.mean(self.victims_gbps[:samples]) + np.mean(self.contributors_gbps[:samples]))

    @classmethod
    def of(cls, measurement: Measurement) -> "Reading":
        received = {row["name"]: float(row["received_gbps"]) for row in measurement.counters["hosts"]}
        victims, contributors = (
            [i for i, flow in enumerate(measurement.flows) if flow.role == role] for role in ("victim", "contributor")
        )
        hot = {measurement.flows[i].dst for i in contributors} & set(received)
        last = measurement.gbps[:, -(measurement.gbps.shape[1] // 4) :].mean(axis=1)
        of_victims = measurement.gbps[victims].sum(axis=0)
        shares = last[contributors]
        fecns, becns = (sum(row[key] for row in measurement.counters["flows"]) for key in ("fecn_received", "becn_received"))
        ill = np.flatnonzero(of_victims < CURED * INJECT_GBPS * len(victims))
        cured = 0 if not ill.size else int(ill[-1]) + 1
        return cls(
            hotspots_gbps=float(np.mean([received[name] for name in hot])) if hot else None,
            non_hotspots_gbps=float(np.mean([gbps for name, gbps in received.items() if name not in hot])),
            total_gbps=sum(received.values()),
            mean_gbps=sum(received.values()) / len(received),
            settled_total_gbps=float(last.sum()),
            settled_jain=float(shares.sum() ** 2 / (len(shares) * (shares**2).sum())) if len(shares) else None,
            cured_ms=None if cured == len(of_victims) else round(cured * measurement.interval_s * 1e3, 6),
            becns_per_fecn=becns / fecns if fecns else None,
            victims_gbps=of_victims.round(3).tolist(),
            contributors_gbps=measurement.gbps[contributors].sum(axis=0).round(3).tolist(),
            cpu_s=measurement.performance.cpu_s,
            packet_hops=measurement.performance.packet_hops or 0,
        )

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> "Reading":
        return cls(**document)


def spread(values: Sequence[float], digits: int = 2) -> str:
    """The mean, and from where to where the values go."""
    mean, low, high = (f"{x:.{digits}f}" for x in (np.mean(values), min(values), max(values)))
    return mean if low == high else f"{mean} ({low} to {high})"
