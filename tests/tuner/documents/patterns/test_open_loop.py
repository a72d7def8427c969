# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tests.tuner.documents.patterns import bed
from tuner.errors import BadInputError


def test_count_and_stagger_hold_for_every_kind() -> None:
    flows = bed.expanded({"kind": "uniform", "name": "u", "count": 3, "stagger_s": 0.0005})
    assert [(flow.name, flow.start_s) for flow in flows] == [("u-1", 0.0), ("u-2", 0.0005), ("u-3", 0.001)]


def test_a_rate_is_said_once() -> None:
    with pytest.raises(BadInputError, match="gives both load 0.5 and rate_gbps 3; one of them is enough"):
        bed.workload({"kind": "uniform", "name": "u", "load": 0.5, "rate_gbps": 3.0})


def test_a_load_that_is_too_little_is_told_as_the_rate_that_it_is() -> None:
    with pytest.raises(BadInputError, match="a share of 1e-05 of 13.5 Gb/s over 2 qps is 6.75e-05 Gb/s; the slowest"):
        bed.expanded({"kind": "ring", "name": "r", "load": 1e-5, "qps": 2})


def test_queue_pairs_are_not_for_flows_to_many_hosts() -> None:
    with pytest.raises(BadInputError, match="flow 'u-1' has 2 qps, but it sends to many hosts over one connection to each"):
        bed.expanded({"kind": "uniform", "name": "u", "qps": 2})
    assert bed.expanded({"kind": "ring", "name": "r", "qps": 2})[0].qps == 2
