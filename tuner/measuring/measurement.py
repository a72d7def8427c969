# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measurement of one run of a workload by a backend: each flow's series, counters and metrics; docs/use/documents.md has the
JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.goals.metrics import Activity, Metrics, compute_metrics
from tuner.goals.sample_window import window_samples
from tuner.goals.series import Series

SCHEMA = 1


@dataclass(frozen=True, kw_only=True)
class FlowRecord:
    """One flow of a measurement; its series is the row of the same position in `Measurement.gbps`."""

    name: str
    src: str
    dst: str
    role: str
    start_s: float
    stop_s: float
    mean_gbps: float
    """Over the metrics' window."""


@dataclass(frozen=True, kw_only=True)
class Performance:
    """Cost of the run. A backend that does not simulate counts no hops."""

    packet_hops: int | None
    """Data packets fully received over one link, host links included; ACKs and CNPs are not counted."""
    cpu_s: float
    max_rss_mib: float

    @property
    def packet_hops_per_cpu_s(self) -> float | None:
        return None if self.packet_hops is None or self.cpu_s <= 0 else self.packet_hops / self.cpu_s


@dataclass(frozen=True, kw_only=True, eq=False)
class Measurement:
    """Immutable. `gbps` has shape (n_flows, n_samples): payload received in each interval, in decimal gigabits a second.
    `in_force`: revision of the profile that devices held, where the backend asks the plugin; None elsewhere."""

    backend: str
    seed: int
    interval_s: float
    duration_s: float
    fabric: str
    profile: str
    flows: tuple[FlowRecord, ...]
    gbps: Series = field(repr=False)
    counters: Mapping[str, Any] = field(repr=False)
    """Counters of the backend: tables as lists of rows, such as `ports`."""
    metrics: Metrics
    performance: Performance
    in_force: str | None = None

    @property
    def t_s(self) -> Series:
        """End of each sample, in seconds."""
        return sample_ends(self.gbps.shape[1], self.interval_s)

    def to_json(self) -> dict[str, Any]:
        """Plain values for `json.dumps`."""
        t_s = self.t_s.tolist()
        flows = [
            asdict(flow) | {"series": [{"t_s": t, "gbps": x} for t, x in zip(t_s, row, strict=True)]}
            for flow, row in zip(self.flows, self.gbps.tolist(), strict=True)
        ]
        return {
            "schema": SCHEMA,
            "backend": self.backend,
            "seed": self.seed,
            "interval_s": self.interval_s,
            "duration_s": self.duration_s,
            "fabric": self.fabric,
            "profile": self.profile,
            "flows": flows,
            "counters": dict(self.counters),
            "metrics": self.metrics.to_json(),
            "performance": asdict(self.performance) | {"packet_hops_per_cpu_s": self.performance.packet_hops_per_cpu_s},
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Measurement":
        """The inverse of to_json. Raises BadInputError if the document is not a measurement of this schema."""
        if document.get("schema") != SCHEMA:
            raise BadInputError(f"measurement schema {document.get('schema')!r} is not {SCHEMA}")
        try:
            plain = {
                key: document[key] for key in ("backend", "seed", "interval_s", "duration_s", "fabric", "profile", "counters")
            }
            flows = tuple(FlowRecord(**{k: v for k, v in flow.items() if k != "series"}) for flow in document["flows"])
            rows = [[sample["gbps"] for sample in flow["series"]] for flow in document["flows"]]
            performance = {k: v for k, v in document["performance"].items() if k != "packet_hops_per_cpu_s"}
            return cls(
                **plain,
                flows=flows,
                gbps=np.array(rows, dtype=np.float64).reshape(len(flows), -1),
                metrics=Metrics(**document["metrics"]),
                performance=Performance(**performance),
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise BadInputError(f"not a measurement: {error}") from error


def measure(
    workload: Workload,
    gbps: Series,
    *,
    backend: str,
    seed: int,
    fabric: str,
    profile: str,
    counters: Mapping[str, Any],
    performance: Performance,
    round_trip_p99_us: float | None = None,
) -> Measurement:
    """A measurement from the series of a workload's flows, in its order. The workload's patterns must be expanded."""
    flows = workload.flows
    window_s, interval_s = workload.window(), workload.sample_interval_s
    activity = [Activity(role=flow.role, start_s=flow.start_s, stop_s=workload.stop_of(flow)) for flow in flows]
    means = gbps[:, window_samples(window_s, interval_s, gbps.shape[1])].mean(axis=1)
    return Measurement(
        backend=backend,
        seed=seed,
        interval_s=interval_s,
        duration_s=workload.duration_s,
        fabric=fabric,
        profile=profile,
        flows=tuple(
            FlowRecord(
                name=flow.name,
                src=flow.src,
                dst=flow.dst,
                role=flow.role,
                start_s=flow.start_s,
                stop_s=workload.stop_of(flow),
                mean_gbps=float(mean),
            )
            for flow, mean in zip(flows, means, strict=True)
        ),
        gbps=gbps,
        counters=counters,
        metrics=compute_metrics(activity, gbps, window_s=window_s, interval_s=interval_s, round_trip_p99_us=round_trip_p99_us),
        performance=performance,
    )


def sample_ends(n_samples: int, interval_s: float) -> Series:
    """The ends of samples in seconds, free of the noise of binary fractions."""
    ends: Series = np.round(np.arange(1, n_samples + 1, dtype=np.float64) * interval_s, 9)
    return ends
