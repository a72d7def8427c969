# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""GPCNeT's recipe on hosts: what their agents are asked for, what is made of their counters, and a night with real agents."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from tests.tuner.checks.test_hosts import cluster, values
from tests.tuner.checks.test_kinds import NIGHT
from tests.tuner.hosts.test_perftest_driver import processes
from tuner.checks.hosts.tonight import TonightHosts
from tuner.checks.impact import on_hosts
from tuner.checks.impact.on_hosts import HostRecipe, average_of, workload
from tuner.checks.kind import KINDS
from tuner.checks.observe import observed
from tuner.documents.check_kinds import CongestionImpact
from tuner.documents.inventory import load_inventory
from tuner.hosts.plan import MAX_PROCESSES, Seat, plan
from tuner.measuring.measurement import Measurement, Performance, measure

HOSTS = [f"H{i}" for i in range(1, 17)]
SEATS = {host: Seat(node=host, address=host, device="mlx5_0") for host in HOSTS}
FABRIC = "two-switch-16"


def recipe(count: int = 16, rings: int = 2) -> HostRecipe:
    return HostRecipe.of(HOSTS[:count], rings=rings, seed=1)


def measured(made: HostRecipe, canary: str, gbps: float) -> Measurement:
    """Every flow has this rate from its start to its stop."""
    run = workload(made, canary, fabric=FABRIC, loaded=True)
    times = np.arange(round(run.duration_s / run.sample_interval_s)) * run.sample_interval_s
    rows = [np.where((times >= flow.start_s - 1e-9) & (times < run.stop_of(flow) - 1e-9), gbps, 0.0) for flow in run.flows]
    performance = Performance(packet_hops=None, cpu_s=0, max_rss_mib=0)
    return measure(
        run, np.array(rows), backend="cluster", seed=1, fabric=FABRIC, profile="off", counters={}, performance=performance
    )


def test_agents_are_asked_for_one_message_at_a_time_and_for_eight_large_ones() -> None:
    for canary, depth, size, count in (("latency", 1, 8, 1), ("bandwidth", 8, 131072, 2)):
        planned = plan(workload(recipe(), canary, fabric=FABRIC, loaded=True), SEATS)
        clients = [process for process in planned.processes if process.side == "client"]
        own = [process.request for process in clients if process.request["message_bytes"] == size]
        assert len(own) == 2 * 4 * count  # rings, canaries, neighbours
        assert {request["tx_depth"] for request in own} == {depth}
        others = [process.request for process in clients if process.request["message_bytes"] == 4096]
        assert Counter(request.get("tx_depth") for request in others) == {None: 5, 1: 5}  # incast, broadcast


def test_the_largest_number_of_hosts_and_rings_is_what_agents_take() -> None:
    many = [f"H{i}" for i in range(300)]
    made = HostRecipe.of(many, rings=30, seed=1)
    assert len(made.rings) == on_hosts.MOST_RINGS
    seats = {host: Seat(node=host, address=host, device="d") for host in many}
    planned = plan(workload(made, "bandwidth", fabric=FABRIC, loaded=False), seats)
    counts = Counter((process.node, process.side) for process in planned.processes)
    assert max(counts.values()) <= MAX_PROCESSES


def test_isolated_hosts_have_no_congestors_beside_them() -> None:
    made = recipe()
    flows = workload(made, "latency", fabric=FABRIC, loaded=False).flows
    assert {flow.src for flow in flows} | {flow.dst for flow in flows} == set(made.parts.canaries)
    loaded = workload(made, "latency", fabric=FABRIC, loaded=True).flows
    assert {flow.role for flow in loaded} == {"other", "contributor"}
    assert len({flow.name for flow in loaded}) == len(loaded)


def test_a_rate_of_one_message_at_a_time_is_a_latency() -> None:
    """8 bytes every 3 us are a round trip of 3 us, of which half is the latency."""
    made = recipe()
    assert average_of("latency", measured(made, "latency", 8 * 8e-9 / 3e-6)) == pytest.approx(1.5)
    assert average_of("latency", measured(made, "latency", 0.0)) == pytest.approx(0.5e6)


def test_bandwidth_is_what_a_host_sends_to_both_neighbours() -> None:
    made = recipe()
    assert average_of("bandwidth", measured(made, "bandwidth", 5.0)) == pytest.approx(10e9 / 8 / 2**20)


def test_the_kind_needs_ten_hosts_and_some_time() -> None:
    kind = KINDS.get("congestion_impact")
    options = CongestionImpact(backend="cluster")
    need = kind.hosts(options, NIGHT)
    assert need is not None
    assert need.least == 10
    assert need.seconds == pytest.approx(4 * (1 + 4 + 10))
    assert "incast and broadcast on hosts for 60 s" in kind.plan(options, NIGHT)
    assert kind.hosts(CongestionImpact(profile="off"), NIGHT) is None


def tonight(path: Path) -> TonightHosts:
    return TonightHosts(
        inventory=load_inventory(path), how="10 hosts of a test", until=datetime.now(UTC) + timedelta(minutes=9), lead_s=4
    )


@pytest.mark.slow
def test_a_night_with_real_agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their programs send what the file says, whoever else sends, so both factors are 1."""
    monkeypatch.setattr(on_hosts, "RING_S", 0.6)
    made = cluster(tmp_path, hosts=tuple(HOSTS[:10]), fabric=FABRIC)
    made.rates(dict.fromkeys(HOSTS[:10], 4.0))
    night = replace(NIGHT, fabric=FABRIC, hosts=tonight(made.inventory))
    observation = observed(CongestionImpact(backend="cluster", rings=2), night)
    assert observation.not_run is None
    found = values(observation)
    assert set(found) == {
        "impact_latency_average", "impact_bandwidth_average", "isolated_latency_average", "isolated_bandwidth_average"
    }  # fmt: skip
    assert found["impact_latency_average"] == pytest.approx(1, abs=0.05)
    assert found["impact_bandwidth_average"] == pytest.approx(1, abs=0.05)
    assert found["isolated_bandwidth_average"] == pytest.approx(8e9 / 8 / 2**20, rel=0.05)
    assert found["isolated_latency_average"] == pytest.approx(0.064 / 4 / 2, rel=0.05)
    assert any("collectives are left out" in fact for fact in observation.facts)
    assert processes(made) == {}


@pytest.mark.long
def test_nine_hosts_are_too_few(tmp_path: Path) -> None:
    made = cluster(tmp_path, hosts=tuple(HOSTS[:9]), fabric=FABRIC)
    night = replace(NIGHT, fabric=FABRIC, hosts=tonight(made.inventory))
    not_run = observed(CongestionImpact(backend="cluster"), night).not_run
    assert not_run is not None
    assert "inventory 'local' has 9 hosts; at least 10 are needed" in not_run
