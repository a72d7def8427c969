# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import json
from typing import Any

import numpy as np
import pytest

from tuner.document_base.model import build_model
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.measuring.measurement import Measurement, Performance, measure


@pytest.fixture
def measurement() -> Measurement:
    flows = (
        {"name": "V", "src": "H1", "dst": "H4", "role": "victim"},
        {"name": "C", "src": "H2", "dst": "H5", "role": "contributor", "start_s": 0.1, "stop_s": 0.9},
    )
    workload = build_model(
        Workload,
        {"ibcc_workload": 1, "name": "w", "fabric": "f", "duration_s": 0.3, "sample_interval_s": 0.1, "flows": flows},
    )
    return measure(
        workload,
        np.array([[1.0, 2.0, 3.0], [0.0, 4.0, 5.0]]),
        backend="simulated",
        seed=7,
        fabric="two-switch",
        profile="off",
        counters={"ports": [{"node": "S1", "port": 1, "xmit_bytes": 5}]},
        performance=Performance(packet_hops=600, cpu_s=0.5, max_rss_mib=10.0),
    )


def test_the_json_is_the_contracts(measurement: Measurement) -> None:
    assert measurement.to_json() == {
        "schema": 1,
        "backend": "simulated",
        "seed": 7,
        "interval_s": 0.1,
        "duration_s": 0.3,
        "fabric": "two-switch",
        "profile": "off",
        "flows": [
            {
                "name": "V",
                "src": "H1",
                "dst": "H4",
                "role": "victim",
                "start_s": 0.0,
                "stop_s": 0.3,
                "mean_gbps": 2.5,
                "series": [{"t_s": 0.1, "gbps": 1.0}, {"t_s": 0.2, "gbps": 2.0}, {"t_s": 0.3, "gbps": 3.0}],
            },
            {
                "name": "C",
                "src": "H2",
                "dst": "H5",
                "role": "contributor",
                "start_s": 0.1,
                "stop_s": 0.3,
                "mean_gbps": 4.5,
                "series": [{"t_s": 0.1, "gbps": 0.0}, {"t_s": 0.2, "gbps": 4.0}, {"t_s": 0.3, "gbps": 5.0}],
            },
        ],
        "counters": {"ports": [{"node": "S1", "port": 1, "xmit_bytes": 5}]},
        "metrics": {
            "victim_throughput_gbps": 2.5,
            "contributor_total_gbps": 4.5,
            "treatment_variation_gbps2": 0.0,
            "spread_gbps": 0.0,
            "jain_index": 1.0,
            "settle_time_s": 0.0,
            "total_throughput_gbps": 7.0,
            "round_trip_p99_us": None,
            "room": None,
        },
        "performance": {"packet_hops": 600, "cpu_s": 0.5, "packet_hops_per_cpu_s": 1200.0, "max_rss_mib": 10.0},
    }


def test_it_survives_a_round_trip_through_text(measurement: Measurement) -> None:
    text = json.dumps(measurement.to_json(), allow_nan=False)
    back = Measurement.from_json(json.loads(text))
    assert back.to_json() == measurement.to_json()
    assert np.array_equal(back.gbps, measurement.gbps)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"schema": 2}, "measurement schema 2 is not 1"),
        ({"flows": [{"name": "V"}]}, "not a measurement"),
        ({"flows": 3}, "not a measurement"),
        ({"metrics": {"beauty": 1}}, "not a measurement"),
    ],
)
def test_what_is_no_measurement_is_refused(measurement: Measurement, change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        Measurement.from_json(measurement.to_json() | change)
