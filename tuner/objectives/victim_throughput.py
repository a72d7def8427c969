# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Throughput of the flows that congestion should not touch."""

from tuner.objectives.base import OBJECTIVES, Objective

VICTIM_THROUGHPUT = Objective(
    name="victim_throughput",
    metric="victim_throughput_gbps",
    unit="Gb/s",
    direction="maximise",
    meaning="payload received by the victim flows, mean over the window and the flows",
    source="Gran et al. 2010, section VII",
)

OBJECTIVES.add(VICTIM_THROUGHPUT.name, VICTIM_THROUGHPUT)
