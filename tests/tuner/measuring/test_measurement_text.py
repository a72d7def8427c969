# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import json

import numpy as np
import pytest

from tuner.goals.metrics import Metrics
from tuner.measuring.measurement import FlowRecord, Measurement, Performance
from tuner.measuring.measurement_text import MOST_INDENTED, measurement_text


def measurement(n_samples: int) -> Measurement:
    flow = {"src": "Hä1", "dst": "uniform(9 hosts)", "role": "victim", "start_s": 0.0, "stop_s": 1.0, "mean_gbps": 1.5}
    return Measurement(
        backend="b",
        seed=1,
        interval_s=0.001,
        duration_s=n_samples * 0.001,
        fabric="f",
        profile="p",
        flows=tuple(FlowRecord(name=f"u-{i}", **flow) for i in (1, 2)),  # type: ignore[arg-type]
        gbps=np.arange(2 * n_samples, dtype=np.float64).reshape(2, -1) / 7,
        counters={"hosts": [{"name": "Hä1", "received_gbps": 2.5}]},
        metrics=Metrics(
            victim_throughput_gbps=1.0,
            contributor_total_gbps=None,
            treatment_variation_gbps2=None,
            spread_gbps=None,
            jain_index=None,
            settle_time_s=None,
        ),
        performance=Performance(packet_hops=5, cpu_s=0.5, max_rss_mib=10.0),
    )


@pytest.mark.parametrize("n_samples", [3, MOST_INDENTED // 2, MOST_INDENTED // 2 + 1])
def test_it_is_the_measurement(n_samples: int) -> None:
    original = measurement(n_samples)
    read = json.loads("".join(measurement_text(original)))
    assert read == original.to_json()
    assert list(read) == list(original.to_json())


def test_a_large_one_has_a_line_for_each_flow() -> None:
    lines = "".join(measurement_text(measurement(MOST_INDENTED))).splitlines()
    assert [line.startswith('{"name":"u-') for line in lines].count(True) == 2
    assert len(lines) < 30


def test_a_small_one_is_laid_out_for_people() -> None:
    assert '\n      "name": "u-1",\n' in "".join(measurement_text(measurement(3)))
