# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Evaluations by hand."""

from typing import Any

from tuner.campaign.evaluation import Evaluation, Run
from tuner.goals.metrics import Metrics

PLAIN = {
    "victim_throughput_gbps": 13.0,
    "contributor_total_gbps": 13.0,
    "treatment_variation_gbps2": 0.1,
    "spread_gbps": 0.2,
    "jain_index": 1.0,
    "settle_time_s": 0.1,
}


def evaluation(**workloads: list[dict[str, Any]]) -> Evaluation:
    """Returns an evaluation of the runs whose metrics each workload has, seeds from 1; metrics that are left out are
    unremarkable."""
    runs = tuple(
        Run(workload=workload, seed=seed, metrics=Metrics(**(PLAIN | metrics)))
        for workload, rows in workloads.items()
        for seed, metrics in enumerate(rows, start=1)
    )
    return Evaluation(runs=runs, duration_s=0.5, packet_hops=1000)
