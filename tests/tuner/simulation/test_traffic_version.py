# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Workloads whose hosts take other turns than before version 2 are told apart."""

from typing import Any

import pytest

from tests.tuner.documents.patterns import bed
from tuner.simulation.traffic_version import has_unequal_turns, names_unequal_turns

A = {"name": "a", "src": "H1", "dst": "H2", "rate_gbps": 3.0}
B = {"name": "b", "src": "H1", "dst": "H3", "rate_gbps": 9.0}
FOREST = {"kind": "hotspots", "name": "f", "hotspots": 2}


def test_a_rate_may_be_text() -> None:
    """PyYAML reads 9e0 so."""
    assert names_unequal_turns({"flows": [A | {"rate_gbps": "1e1"}, B]})
    assert not names_unequal_turns({"flows": [A | {"rate_gbps": "9e0"}, B]})


@pytest.mark.parametrize(
    ("flows", "patterns", "named", "unequal"),
    [
        ([A], [], False, False),
        ([A, B], [], True, True),
        ([A, B | {"rate_gbps": 3.0}], [], False, False),
        ([A, {key: value for key, value in B.items() if key != "rate_gbps"}], [], True, True),
        ([A, A | {"name": "b", "qps": 3}], [], True, True),
        ([A, B | {"qps": 3}], [], False, False),
        ([A, B | {"sl": 1}], [], False, False),
        ([A, B | {"src": "H4"}], [], False, False),
        ([], [FOREST], False, False),
        ([], [FOREST | {"b_percent": 25.0}], True, True),
        ([], [FOREST | {"b_nodes": 0}], False, False),
        # Patterns that meet on a host tell only when they are expanded.
        ([A], [{"kind": "uniform", "name": "u", "rate_gbps": 1.0}], False, True),
    ],
)
def test_b_nodes_and_hosts_with_flows_of_several_rates(
    flows: list[dict[str, Any]], patterns: list[dict[str, Any]], named: bool, unequal: bool
) -> None:
    assert names_unequal_turns({"flows": flows, "patterns": patterns}) is named
    workload = bed.workload(*patterns, flows=tuple(flows)) if patterns else bed.workload(flows=tuple(flows))
    assert names_unequal_turns(workload.model_dump(mode="json")) is named
    assert has_unequal_turns(workload.expanded(bed.star().hosts)) is unequal
