# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The version of the traffic that the simulator makes of a workload. Values of different versions cannot be compared."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from tuner.documents.expanded_flow import ExpandedFlow
from tuner.documents.workload import Workload

TRAFFIC_VERSION = 2
"""1: all flows of a host took equal turns, those of a B node too. 2: they take turns in proportion to their rates, and B nodes
generate messages as in Paper IV's Frame I (docs/simulator.md, docs/workloads.md)."""

OTHER_TRAFFIC = (
    "was measured with the traffic of ibcc 0.1, in which the flows of a host took equal turns while flow control held them back; "
    "now they take turns by their rates, and B nodes send p : (1 - p), so its values may suit less well and cannot be compared"
)
"""The rest of a sentence that a campaign's name begins."""


def names_unequal_turns(workload: Mapping[str, Any]) -> bool:
    """Returns True if a workload's document has B nodes, or flows of one host with different rates, whose turns are others since
    version 2. It does not see patterns that meet on a host; has_unequal_turns does."""
    rates = defaultdict(set)
    for flow in workload.get("flows") or ():
        rates[flow.get("src"), flow.get("sl") or 0].add(flow.get("rate_gbps"))
    b_nodes = (pattern.get("b_percent") or pattern.get("b_nodes") for pattern in workload.get("patterns") or ())
    return any(b_nodes) or any(len(of_host) > 1 for of_host in rates.values())


def has_unequal_turns(workload: Workload) -> bool:
    """Returns True if hosts of a workload, whose patterns are expanded, take other turns since version 2."""
    weights = defaultdict(set)
    for flow in workload.flows:
        if isinstance(flow, ExpandedFlow) and flow.generator is not None:
            return True
        weights[flow.src, flow.sl].add(None if flow.rate_gbps is None else flow.rate_gbps / flow.qps)
    return any(len(of_host) > 1 for of_host in weights.values())
