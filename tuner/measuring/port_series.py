# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Queues of a fabric's ports over the time of one run: larger than a measurement, and kept only where somebody asks for it."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tuner.documents.fabric import End
from tuner.goals.series import Series


@dataclass(frozen=True, kw_only=True, eq=False)
class PortSeries:
    """Series of all ports with a link and of all hosts, sampled at the end of each interval."""

    interval_s: float
    ports: tuple[End, ...]
    queued_bytes: npt.NDArray[np.uint32]
    """Bytes queued for each port at its node: shape (n_ports, n_samples). An adapter's packets wait in memory: it has 0."""
    waited: npt.NDArray[np.floating]
    """Fraction of each interval in which the port had a packet and no credits to send it, 0 to 1: shape (n_ports, n_samples)."""
    hosts: tuple[End, ...]
    received_gbps: Series
    """Payload that each host's port received in each interval, in Gb/s: shape (n_hosts, n_samples)."""
    buffer_bytes: int
    """Buffer of one input port of a switch, of one VL where VLs have their own: the measure of a long queue."""
    special_queues: npt.NDArray[np.integer] | None = None
    """Number of special queues (CFQs, HPQs) in use at the input port that each port sends to: shape (n_ports, n_samples); None
    where the switches have no such queues."""

    @property
    def n_samples(self) -> int:
        """Number of samples of each series."""
        return int(self.queued_bytes.shape[1])
