# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Readings of a measurement whose flows start one after the other."""

import numpy as np

from tuner.goals.sample_window import window_samples
from tuner.goals.series import Series
from tuner.measuring.measurement import Measurement


def phase(measurement: Measurement, flow: int, *, warmup_s: float = 0.0) -> Series:
    """Throughputs from the start of a flow (by position) to the next start, shape (n_flows, n_samples), in Gb/s."""
    starts = sorted({record.start_s for record in measurement.flows} | {measurement.duration_s})
    start_s = measurement.flows[flow].start_s
    stop_s = min(t for t in starts if t > start_s)
    samples = window_samples((start_s + warmup_s, stop_s), measurement.interval_s, measurement.gbps.shape[1])
    return measurement.gbps[:, samples]


def phase_means(measurement: Measurement, flow: int, *, warmup_s: float = 0.0) -> Series:
    """Each flow's mean from the start of `flow` to the next start, in Gb/s."""
    means: Series = phase(measurement, flow, warmup_s=warmup_s).mean(axis=1)
    return means


def contributors(measurement: Measurement) -> list[int]:
    """Positions of the contributors, by the time of their start."""
    found = [i for i, flow in enumerate(measurement.flows) if flow.role == "contributor"]
    return sorted(found, key=lambda i: measurement.flows[i].start_s)


def worst_deviation(throughputs: Series) -> float:
    """Returns the largest deviation from the equal share, as a fraction of that share."""
    fair = float(throughputs.mean())
    return float(np.abs(throughputs / fair - 1).max())


def treatment(measurement: Measurement) -> Series:
    """Highest minus lowest contributor at each sample, from the start of the last one on, start included: thesis, Paper III,
    section VII. Gb/s."""
    order = contributors(measurement)
    together = phase(measurement, order[-1])[order]
    difference: Series = together.max(axis=0) - together.min(axis=0)
    return difference


def marks(measurement: Measurement) -> dict[str, int]:
    """Packets marked at each port that marked any, by `NODE/PORT`."""
    return {f"{row['node']}/{row['port']}": row["fecn_marked"] for row in measurement.counters["ports"] if row["fecn_marked"]}
