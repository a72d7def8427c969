# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import io

import numpy as np
from rich.console import Console, RenderableType

from tuner.cli.flow_groups import flow_groups, receivers, round_trips
from tuner.goals.metrics import Metrics
from tuner.measuring.measurement import FlowRecord, Measurement, Performance


def text(*parts: RenderableType) -> list[str]:
    console = Console(file=io.StringIO(), width=200)
    for part in parts:
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    return [" ".join(line.split()) for line in console.file.getvalue().splitlines() if line.strip()]


def flow(name: str, role: str, mean_gbps: float, src: str, dst: str) -> FlowRecord:
    return FlowRecord(name=name, src=src, dst=dst, role=role, start_s=0.0, stop_s=1.0, mean_gbps=mean_gbps)


def test_flows_of_one_name_and_role_are_a_row() -> None:
    flows = (
        flow("storm-c-1", "contributor", 1.0, "H1", "H9"),
        flow("storm-c-2", "contributor", 3.0, "H2", "H9"),
        flow("storm-v-1", "victim", 0.5, "H3", "uniform(9 hosts)"),
        flow("alone", "other", 0.25, "H4", "H5"),
    )
    measurement = Measurement(
        backend="b",
        seed=1,
        interval_s=0.5,
        duration_s=1.0,
        fabric="f",
        profile="p",
        flows=flows,
        gbps=np.array([[1.0, 1.0], [3.0, 3.0], [0.5, 0.5], [0.0, 0.5]]),
        counters={},
        metrics=Metrics(
            victim_throughput_gbps=None,
            contributor_total_gbps=None,
            treatment_variation_gbps2=None,
            spread_gbps=None,
            jain_index=None,
            settle_time_s=None,
        ),
        performance=Performance(packet_hops=None, cpu_s=0.0, max_rss_mib=0.0),
    )
    lines = text(flow_groups(measurement))
    assert lines[0].endswith("0 … 4.0 Gb/s over the run, sum")
    rows = [line.rpartition(" ")[0] for line in lines[2:]]
    assert rows[0].startswith("storm-c 2 hosts → H9 contributor 2 2.000 1.000 3.000 4.000")
    assert rows[1].startswith("storm-v H3 → uniform(9 hosts) victim 1 0.500 0.500 0.500 0.500")
    assert rows[2].startswith("alone H4 → H5 other 1 0.250")


def test_round_trips_are_averaged_over_flows_of_one_name() -> None:
    rows = [
        {"name": "pp-request-1", "round_trips": 10, "round_trip_mean_us": 4.0, "round_trip_max_us": 5.0},
        {"name": "pp-request-2", "round_trips": 30, "round_trip_mean_us": 2.0, "round_trip_max_us": 9.0},
        {"name": "pp-answer-1", "round_trips": 0, "round_trip_mean_us": 0.0, "round_trip_max_us": 0.0},
    ]
    assert text(*round_trips(rows))[2:] == ["pp-request 2 40 2.500 9.000"]
    assert text(*round_trips(rows[2:])) == text(*round_trips([{"name": "F1"}])) == []


def test_hosts_are_summed_up_and_the_busiest_named() -> None:
    lines = text(*receivers([{"name": f"H{i}", "received_gbps": float(i)} for i in range(1, 11)]))
    assert lines[0] == "10 hosts receive 5.500 Gb/s on average, from 1.000 to 10.000; the most:"
    assert lines[3:] == [f"H{i} {i}.000" for i in range(10, 2, -1)]
    assert text(*receivers([])) == []
