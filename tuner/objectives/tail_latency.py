# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How long the unlucky round trips take: what a barrier or a small request waits for when the fabric is congested."""

from tuner.objectives.base import OBJECTIVES, Objective

TAIL_LATENCY = Objective(
    name="tail_latency",
    metric="round_trip_p99_us",
    unit="µs",
    direction="minimise",
    meaning="99th percentile of the round trips that end within the window, of all flows with one message on the way (ping-pong)",
    source="ours; the mean of the same is HPCC's ping-pong latency, thesis Paper III, Table III",
)

OBJECTIVES.add(TAIL_LATENCY.name, TAIL_LATENCY)
