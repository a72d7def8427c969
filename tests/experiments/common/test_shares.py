# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Readings of flows that start one after the other, on a measurement small enough to check by hand."""

import numpy as np
import pytest

from experiments._common.shares import contributors, marks, phase, phase_means, treatment, worst_deviation
from tuner.documents.flow import Flow
from tuner.documents.workload import Workload
from tuner.measuring.measurement import Measurement, Performance, measure

# One flow starts each 0.1 s; samples of 50 ms. The contributors are not listed in the order of their start.
SERIES = np.array(
    [
        [13.0, 13.0, 12.0, 10.0, 8.0, 6.0],  # victim
        [0.0, 0.0, 0.0, 0.0, 4.0, 6.0],  # the later contributor
        [0.0, 0.0, 13.0, 13.0, 9.0, 7.0],
    ]
)


@pytest.fixture(scope="module")
def measurement() -> Measurement:
    flows = (
        Flow(name="V", src="a", dst="b", role="victim"),
        Flow(name="late", src="c", dst="d", role="contributor", start_s=0.2),
        Flow(name="early", src="e", dst="d", role="contributor", start_s=0.1),
    )
    workload = Workload(ibcc_workload=1, name="w", fabric="f", duration_s=0.3, sample_interval_s=0.05, flows=flows)
    counters = {"ports": [{"node": "S", "port": 3, "fecn_marked": 7}, {"node": "S", "port": 4, "fecn_marked": 0}]}
    cost = Performance(packet_hops=1, cpu_s=1.0, max_rss_mib=1.0)
    return measure(workload, SERIES, backend="t", seed=1, fabric="f", profile="p", counters=counters, performance=cost)


def test_a_phase_lasts_from_one_start_to_the_next(measurement: Measurement) -> None:
    assert phase(measurement, 0).tolist() == SERIES[:, :2].tolist()
    assert phase(measurement, 2).tolist() == SERIES[:, 2:4].tolist()
    assert phase(measurement, 1).tolist() == SERIES[:, 4:].tolist()
    assert phase_means(measurement, 1).tolist() == [7.0, 5.0, 8.0]
    assert phase_means(measurement, 1, warmup_s=0.05).tolist() == [6.0, 6.0, 7.0]


def test_contributors_come_in_the_order_of_their_start(measurement: Measurement) -> None:
    assert contributors(measurement) == [2, 1]


def test_treatment_is_highest_less_lowest_contributor_since_the_last_start(measurement: Measurement) -> None:
    assert treatment(measurement).tolist() == [5.0, 1.0]


def test_worst_deviation_is_relative_to_the_equal_share() -> None:
    assert worst_deviation(np.array([3.0, 4.0, 5.0])) == pytest.approx(0.25)
    assert worst_deviation(np.array([2.0, 2.0])) == 0


def test_marks_name_the_ports_that_marked(measurement: Measurement) -> None:
    assert marks(measurement) == {"S/3": 7}
