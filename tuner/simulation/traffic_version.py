# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Versions of the traffic that the simulator makes of a workload: values of different versions cannot be compared."""

from collections import defaultdict
from collections.abc import Hashable, Mapping
from typing import Any

from tuner.documents.expanded_flow import ExpandedFlow
from tuner.documents.workload import Workload

TRAFFIC_VERSION = 2
"""1: all flows of a host took equal turns, those of a B node too. 2: they take turns in proportion to their rates, and B nodes
generate messages as in Paper IV's Frame I (docs/research/simulator.md, docs/use/workloads.md)."""

OTHER_TRAFFIC = (
    "was measured with the traffic of ibcc 0.1, in which the flows of a host took equal turns while flow control held them back; "
    "now they take turns by their rates, and B nodes send p : (1 - p), so its values may suit less well and cannot be compared"
)
"""End of a sentence about a campaign, behind its name."""


def names_unequal_turns(workload: Mapping[str, Any]) -> bool:
    """True if a workload's document names flows whose turns are others since version 2: B nodes, or flows of one host whose queue
    pairs have different rates. Patterns that meet on a host show only in an expanded workload."""
    weights: dict[Hashable, set[float | None]] = defaultdict(set)
    for flow in workload.get("flows") or ():
        weights[flow.get("src"), flow.get("sl") or 0].add(_weight(flow.get("rate_gbps"), flow.get("qps") or 1))
    b_nodes = (pattern.get("b_percent") or pattern.get("b_nodes") for pattern in workload.get("patterns") or ())
    return any(b_nodes) or _differ(weights)


def has_unequal_turns(workload: Workload) -> bool:
    """True if a workload whose patterns are expanded has such flows."""
    weights: dict[Hashable, set[float | None]] = defaultdict(set)
    for flow in workload.flows:
        if isinstance(flow, ExpandedFlow) and flow.generator is not None:
            return True
        weights[flow.src, flow.sl].add(_weight(flow.rate_gbps, flow.qps))
    return _differ(weights)


def _weight(rate_gbps: float | str | None, qps: int) -> float | None:
    """Returns the rate of each queue pair of a flow. YAML readers differ in whether 1e3 is a number."""
    return None if rate_gbps is None else float(rate_gbps) / qps


def _differ(weights: Mapping[Hashable, set[float | None]]) -> bool:
    return any(len(of_host) > 1 for of_host in weights.values())
