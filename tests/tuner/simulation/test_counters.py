# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tests.tuner.documents.patterns import bed
from tuner.simulation.counters import counters

ALONE = {"name": "F", "src": "H1", "dst": "H2", "rate_gbps": 4.0, "start_s": 0.0005, "role": "contributor"}


def test_hosts_receive_what_all_flows_bring_them_over_the_window() -> None:
    uniform = {"kind": "uniform", "name": "u", "load": 0.2}
    work = bed.workload(uniform, flows=(ALONE,), duration_s=0.01).expanded(bed.star().hosts)
    hosts = counters(bed.star(), work, bed.run(work).result)["hosts"]
    assert [row["name"] for row in hosts] == [f"H{i}" for i in range(1, 17)]
    gbps = [row["received_gbps"] for row in hosts]
    assert sum(gbps) == pytest.approx(16 * 0.2 * 13.5 + 4.0, rel=0.01)
    assert gbps[1] == pytest.approx(0.2 * 13.5 + 4.0, rel=0.1)
    assert gbps[2] == pytest.approx(0.2 * 13.5, rel=0.15)


def test_ports_and_flows_are_named() -> None:
    work = bed.workload(flows=(ALONE,))
    tables = counters(bed.star(), work, bed.run(work).result)
    assert set(tables) == {"ports", "flows", "hosts", "congestion_logs"}
    assert tables["flows"][0]["name"] == "F"
    assert {row["node"] for row in tables["ports"]} == {"S1", *(f"H{i}" for i in range(1, 17))}


def test_flows_that_wait_for_answers_tell_how_long_a_round_trip_takes() -> None:
    pair = {"kind": "ping-pong", "name": "p", "sources": ["H1"], "destinations": ["H2"], "message_bytes": 2048}
    times = []
    for think_us in (0.0, 10.0):
        work = bed.workload(pair | {"think_us": think_us}).expanded(bed.star().hosts)
        request, answer = counters(bed.star(), work, bed.run(work).result)["flows"]
        assert 0 <= request["received_messages"] - answer["received_messages"] <= 1
        assert request["round_trip_mean_us"] == pytest.approx(2000 / request["round_trips"], rel=0.01)
        times.append(request["round_trip_mean_us"])
        (together,) = counters(bed.star(), work, bed.run(work).result)["round_trips"]
        assert together["name"] == "p-request"
        assert together["mean_us"] == pytest.approx(times[-1], rel=1 / 63)
    assert 4 < times[0] < 6  # twice: through a bus (1.2 us), over two links (1 us each at most) and through a switch (0.1 us)
    assert times[1] == pytest.approx(times[0] + 10)
