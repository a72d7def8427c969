# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tests.tuner.documents.patterns import bed
from tuner.errors import BadInputError


def test_arrivals_pace_it_not_a_rate() -> None:
    with pytest.raises(BadInputError, match=r"patterns\[0\].* has a rate_gbps of 3, but the arrivals of messages pace it"):
        bed.workload({"kind": "ring-allreduce", "name": "r", "rate_gbps": 3.0})


def test_think_time_is_not_a_time_of_the_workload() -> None:
    work = bed.workload({"kind": "ring-allreduce", "name": "r", "think_us": 2.5}).scaled(3)
    assert {flow.loop.think_us for flow in work.expanded(bed.star().hosts).flows} == {2.5}  # type: ignore[attr-defined]
