# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Samples at a workload's interval from readings at whatever times."""

from collections.abc import Iterable

import numpy as np

from tuner.documents.workload import Workload
from tuner.goals.series import Series
from tuner.hosts.driver import HostLostError, Reading
from tuner.measuring.measurement import sample_ends


def samples_gbps(workload: Workload, readings: Iterable[Reading]) -> Series:
    """Payload in each interval in Gb/s, shape (n_flows, n_samples): what counters say at the samples' ends if bytes arrive evenly
    between two readings. Nothing is received before a flow starts; all bytes that were counted up to the last sample's end
    are in.

    Raises HostLostError for a flow of which too little was read to say anything, or whose counter fell.
    """
    by_flow: list[list[Reading]] = [[] for _ in workload.flows]
    for reading in readings:
        by_flow[reading.flow].append(reading)
    n_samples = round(workload.duration_s / workload.sample_interval_s)
    ends = sample_ends(n_samples, workload.sample_interval_s)
    rows = []
    for flow, own in zip(workload.flows, by_flow, strict=True):
        own = [reading for reading in own if reading.t_s > flow.start_s]
        stop_s = workload.stop_of(flow)
        if not own or own[-1].t_s < stop_s - workload.sample_interval_s:
            seen = f"up to {own[-1].t_s:.3f} s" if own else "never"
            raise HostLostError(flow.dst, f"flow '{flow.name}' ran to {stop_s:g} s, but its receiver was read {seen}")
        t_s = np.array([flow.start_s, *(reading.t_s for reading in own)])
        counted = np.array([0, *(reading.received_bytes for reading in own)], dtype=np.float64)
        if (np.diff(t_s) < 0).any() or (np.diff(counted) < 0).any():
            raise HostLostError(flow.dst, f"its counter of flow '{flow.name}' fell, as after a restart")
        at_ends = np.interp(ends, t_s, counted)
        rows.append(np.diff(at_ends, prepend=0.0) * (8e-9 / workload.sample_interval_s))
    return np.array(rows, dtype=np.float64).reshape(len(rows), n_samples)
