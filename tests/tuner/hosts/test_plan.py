# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import json
from typing import Any

import pytest

from tuner.documents.fabric import load_fabric
from tuner.documents.workload import Workload, load_workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.hosts.flow_segments import Step
from tuner.hosts.plan import GRACE_S, Plan, Seat, plan, schedule_text
from tuner.hosts.settings import Verb

SEATS = {f"H{n}": Seat(node=f"n{n}", address=f"n{n}-ib", device="mlx5_0", gid_index=3 if n == 1 else None) for n in range(1, 8)}
SCENARIO_1 = load_workload("scenario-1")
STARTS = {f"n{n}": 10**18 + n for n in range(1, 8)}


def requests(planned: Plan, side: Any) -> dict[str, dict[str, Any]]:
    found = planned.requests(side, STARTS, lead_s=5)
    assert json.loads(json.dumps(found)) == found
    return found


@pytest.mark.parametrize(("verb", "program"), [("write", "ib_write_bw"), ("send", "ib_send_bw")])
def test_scenario_1(verb: Verb, program: str) -> None:
    planned = plan(SCENARIO_1, SEATS, verb=verb)
    servers, clients = requests(planned, "server"), requests(planned, "client")
    assert sorted(servers) == ["n4", "n5"]
    assert sorted(clients) == ["n1", "n2", "n3", "n6", "n7"]
    assert len({process["tcp_port"] for process in servers["n5"]["processes"]}) == 4
    by_port = {(node, process["tcp_port"]) for node, request in servers.items() for process in request["processes"]}
    for node, request in clients.items():
        assert (request["op"], request["time_limit_s"]) == ("run", 22)
        (process,) = request["processes"]
        assert (process["peer"].removesuffix("-ib"), process["tcp_port"]) in by_port
        assert process["program"] == program
        assert process["schedule"] == "0=max"
        # Each starts in its turn, by its own node's clock, and all stop together.
        flow = next(flow for flow in SCENARIO_1.flows if SEATS[flow.src].node == node)
        assert process["start_ns"] == STARTS[node] + round(flow.start_s * 1e9)
        assert process["stop_s"] == 5 - flow.start_s
    assert clients["n1"]["processes"][0]["gid_index"] == 3
    assert "gid_index" not in clients["n2"]["processes"][0]
    assert all(process["stop_s"] > GRACE_S for request in servers.values() for process in request["processes"])
    measured = {process.side for process in planned.processes if process.measured}
    assert measured == {"client" if verb == "write" else "server"}
    assert len({process.id for process in planned.processes}) == 10


def test_rdma_read_is_asked_for_by_the_receiver() -> None:
    planned = plan(SCENARIO_1, SEATS, verb="read")
    assert sorted(requests(planned, "client")) == ["n4", "n5"]
    assert sorted(requests(planned, "server")) == ["n1", "n2", "n3", "n6", "n7"]
    assert all(process.measured == (process.side == "client") for process in planned.processes)


def test_each_port_is_used_once_a_run_and_not_in_the_next() -> None:
    def ports(first: int) -> set[int]:
        planned = plan(SCENARIO_1, SEATS, first_port=first)
        return {process["tcp_port"] for process in requests(planned, "server")["n5"]["processes"]}

    assert len(ports(0) | ports(64)) == 8
    few = {name: Seat(node=seat.node, address=seat.address, device="d", tcp_ports=(4000, 4003)) for name, seat in SEATS.items()}
    planned = plan(SCENARIO_1, few, first_port=2)
    assert {p["tcp_port"] for p in requests(planned, "server")["n5"]["processes"]} == {4000, 4001, 4002, 4003}
    too_few = {
        name: Seat(node=seat.node, address=seat.address, device="d", tcp_ports=(4000, 4002)) for name, seat in SEATS.items()
    }
    with pytest.raises(BadInputError, match="node 'n5' would have to listen on more than its 3 TCP ports, 4000 to 4002"):
        plan(SCENARIO_1, too_few)


def test_a_flow_that_cannot_be_sent_is_named_before_anything_starts() -> None:
    document = SCENARIO_1.model_dump()
    document["flows"][2]["message_bytes"] = 2**31
    with pytest.raises(
        BadInputError, match=r"flow 'F3': backend 'cluster' cannot send this with perftest: its messages have 2147483648"
    ):
        plan(Workload.model_validate(document), SEATS)


def uniform(duration_s: float, **changes: object) -> Workload:
    pattern = {"kind": "uniform", "name": "u", **changes}
    workload = Workload.model_validate(
        {"ibcc_workload": 1, "name": "w", "fabric": "two-switch", "duration_s": duration_s, "patterns": [pattern]}
    )
    return workload.expanded(build(load_fabric("two-switch")).hosts)


def test_too_many_programs_for_a_host_are_refused() -> None:
    assert len(plan(uniform(8), SEATS).processes) == 2 * 7 * 8
    with pytest.raises(BadInputError, match=r"node 'n\d' would run \d+ programs as (client|server), and its agent takes at most"):
        plan(uniform(100), SEATS)


def test_counters_are_read_as_often_as_samples_are_wanted_but_not_more_than_can_be_listened_to() -> None:
    assert plan(SCENARIO_1, SEATS).interval_ms == 10
    assert plan(SCENARIO_1, SEATS, interval_ms=250).interval_ms == 250
    hundreds = {f"H{n}": Seat(node=f"n{n}", address="a", device="d") for n in range(1, 401)}
    flows = [{"name": f"f{n}", "src": f"H{n}", "dst": f"H{n + 200}"} for n in range(1, 201)]
    workload = Workload.model_validate({"ibcc_workload": 1, "name": "w", "fabric": "f", "duration_s": 1, "flows": flows})
    assert plan(workload, hundreds).interval_ms == 100  # 2 * 200 programs, 4000 lines a second


def test_schedules_are_written_without_exponents() -> None:
    steps = [Step(at_s=0, rate="max"), Step(at_s=0.00001, rate="off"), Step(at_s=1.5, rate=1e5), Step(at_s=100, rate=0.001)]
    assert schedule_text(steps) == "0=max,0.00001=off,1.5=100000,100=0.001"
