# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fabrics and workloads on which both kinds of congestion control are tuned."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tuner.document_base.model import build_model
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.documents.workload import Workload, load_workload
from tuner.fabric.topologies.base import generate

CONTRIBUTORS, LEAVES, HOSTS, SPINES = 64, 5, 17, 4
"""Incast beside a long flow: 16 hosts of each leaf but the receiver's send to one, and the second leaf's 17th to the third."""


@dataclass(frozen=True, kw_only=True)
class Bed:
    """One fabric with one workload."""

    name: str
    title: str
    rate_gbps: float
    a10: str
    """Name of the published profile for annex A10."""
    fabric: Callable[[], FabricDocument]
    workload: Callable[[], Workload]
    time_scale: float
    quick_scale: float
    trials: int
    objectives: Mapping[str, float]
    """Objectives with their reference points for the hypervolume."""
    constraints: Mapping[str, Any]
    holds_published: bool = True
    """The space for DCQCN holds the published profile's values at this rate."""


def _beside_a_long_flow() -> FabricDocument:
    return generate(
        "leaf-spine", leaves=LEAVES, spines=SPINES, hosts_per_leaf=HOSTS, host_rate="4xNDR", mtu_bytes=4096, name="incast-64"
    )


def _incast() -> Workload:
    sources = [HOSTS * leaf + host for leaf in range(1, LEAVES) for host in range(1, HOSTS)][:CONTRIBUTORS]
    flows = [{"name": f"C{i}", "src": f"H{host}", "dst": "H1", "role": "contributor"} for i, host in enumerate(sources, start=1)]
    # Routes go by destination: to H1 and H37 by the same spine. The long flow shares the link up to that with 16
    # contributors, whose fair shares leave 298 of its 397 Gb/s, and no other link.
    long = {"name": "V", "src": f"H{2 * HOSTS}", "dst": f"H{2 * HOSTS + 3}", "role": "victim", "start_s": 0.01}
    return build_model(
        Workload,
        {
            "ibcc_workload": 1,
            "name": "incast-64",
            "fabric": "fabric.yaml",
            "duration_s": 0.03,
            "sample_interval_s": 0.0005,
            "warmup_s": 0.012,
            "flows": [*flows, long],
        },
    )


BEDS = (
    Bed(
        name="scenario-1",
        title="scenario 1, 16 Gb/s",
        rate_gbps=16,
        a10="gran-2010",
        fabric=lambda: load_fabric("two-switch"),
        workload=lambda: load_workload("scenario-1"),
        time_scale=0.2,
        quick_scale=0.05,
        trials=24,
        objectives={"victim_throughput": 2, "treatment_variation": 0.5},
        constraints={"contributor_total": {"at_least": 0.95}},
    ),
    Bed(
        name="forest-windy",
        title="windy forest of 648 hosts, 16 Gb/s",
        rate_gbps=16,
        a10="gran-2012",
        fabric=lambda: load_fabric("fat-tree-648"),
        workload=lambda: load_workload("forest-windy"),
        time_scale=1,
        quick_scale=0.1,
        trials=12,
        objectives={"total_throughput": 1000, "contributor_total": 40},
        constraints={"contributor_total": {"at_least": 0.8}},
    ),
    Bed(
        name="incast-64",
        title="64 to 1 beside a long flow, 400 Gb/s",
        rate_gbps=400,
        a10="gran-2010-400g",
        fabric=_beside_a_long_flow,
        workload=_incast,
        time_scale=1,
        quick_scale=0.5,
        trials=24,
        objectives={"victim_throughput": 5, "treatment_variation": 50},
        constraints={"contributor_total": {"at_least": 0.95}},
        holds_published=False,
    ),
)
