# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A measurement of what the packet-level fabric has counted, whoever set its tables."""

import resource

import numpy as np

import ccsim
from tuner.documents.workload import Workload
from tuner.fabric.built_fabric import BuiltFabric
from tuner.measuring.measurement import Measurement, Performance, measure
from tuner.simulation.counters import counters
from tuner.simulation.round_trips import percentile_us


def simulated_measurement(
    built: BuiltFabric,
    workload: Workload,
    result: ccsim.Result,
    *,
    backend: str,
    seed: int,
    profile: str,
    model: ccsim.Model | None = None,
) -> Measurement:
    """Returns the measurement of a complete run; the workload's patterns must be expanded. `model`: of the run; without it the
    counters have no `scheme`."""
    return measure(
        workload,
        result.received_bytes.astype(np.float64) * (8e-9 / workload.sample_interval_s),
        backend=backend,
        seed=seed,
        fabric=built.document.name,
        profile=profile,
        counters=counters(built, workload, result, model),
        round_trip_p99_us=None if result.round_trips is None else percentile_us(result.round_trips, 99),
        performance=Performance(
            packet_hops=result.packet_hops,
            cpu_s=result.cpu_s,
            max_rss_mib=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        ),
    )
