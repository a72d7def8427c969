# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Configurations and traffic of flow_isolation against what Papers V and VI print."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import ccsim
from experiments._common.fabric_files import fabric_files
from experiments._common.runs import measure_one
from experiments.flow_isolation.configurations import (
    CONFIGURATIONS,
    MTU_BYTES,
    PACKET_BYTES,
    PAPER_5,
    PAPER_6,
    PROPAGATION_NS,
    V_1,
    V_2,
    V_3,
    VI_1,
    VI_2,
    VI_3,
    Configuration,
)
from experiments.flow_isolation.reading import Reading
from experiments.flow_isolation.schemes import SCHEMES
from experiments.flow_isolation.traffic import (
    BEDS,
    BURST_S,
    CASE_1,
    CASE_2,
    CASE_3,
    CASE_4,
    PATTERN_1,
    PATTERN_2,
    PATTERN_3,
    Bed,
    Traffic,
)
from experiments.flow_isolation.trees_page import trees_page
from tuner.documents.device_model import device_model, nested
from tuner.documents.expanded_flow import ExpandedFlow
from tuner.documents.profile import load_profile
from tuner.fabric.built_fabric import BuiltFabric, build

GBPS_OF_GBYTES = {2.5: 20.0, 5.0: 40.0}


def expanded(configuration: Configuration, traffic: Traffic | Bed) -> list[ExpandedFlow]:
    work = traffic.workload("f").expanded(build(configuration.fabric).hosts)
    return [flow if isinstance(flow, ExpandedFlow) else ExpandedFlow(**flow.model_dump()) for flow in work.flows]


def route(built: BuiltFabric, src: int, dst: int) -> Sequence[tuple[int, int]]:
    """Hops between two nodes, counted from 0 as in the papers."""
    return built.fabric.route(built.endport(f"H{src + 1}"), built.endport(f"H{dst + 1}"))


@pytest.mark.parametrize(
    ("configuration", "nodes", "switches", "gbytes"),
    [
        (V_1, 7, 2, 2.5),
        (V_2, 8, 12, 2.5),
        (V_3, 64, 48, 2.5),
        (VI_1, 64, 48, 5.0),
        (VI_2, 256, 256, 5.0),
        (VI_3, 1024, 1280, 5.0),
    ],
    ids=lambda value: value.name if isinstance(value, Configuration) else "",
)
def test_counts_and_rates_are_those_of_the_papers(configuration: Configuration, nodes: int, switches: int, gbytes: float) -> None:
    fabric = configuration.fabric
    assert (len(fabric.hosts), len(fabric.switches)) == (nodes, switches)
    hosts = {host.name for host in fabric.hosts}
    rates = {link.a.partition("/")[0] in hosts: ccsim.link_data_gbps(link.rate) for link in fabric.links}
    assert rates[True] == GBPS_OF_GBYTES[gbytes]
    assert rates[False] == (GBPS_OF_GBYTES[5.0] if configuration is V_1 else rates[True])
    assert {link.delay_ns for link in fabric.links} == {PROPAGATION_NS}
    assert fabric.mtu_bytes == 2048
    assert configuration.capacity_gbps == nodes * rates[True]


@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=lambda one: one.name)
def test_all_nodes_reach_each_other_without_credit_loops(configuration: Configuration) -> None:
    built = build(configuration.fabric)
    assert built.unreachable() == []
    assert built.credit_loop() is None


@pytest.mark.parametrize("configuration", [V_2, V_3, VI_1], ids=lambda one: one.name)
def test_all_packets_to_a_node_come_down_the_same_way(configuration: Configuration) -> None:
    """DET and DESTRO: what goes to a node meets at one switch of the top, and each link down leads to one node only."""
    built = build(configuration.fabric)
    nodes = len(configuration.fabric.hosts)
    down: dict[tuple[int, int], set[int]] = {}
    for dst in range(nodes):
        for src in range(nodes):
            hops = route(built, src, dst) if src != dst else []
            for hop in hops[(len(hops) + 1) // 2 :]:
                down.setdefault(hop, set()).add(dst)
    top = 2 * configuration.parameters["n"] - 1
    assert max(len(route(built, 0, dst)) for dst in range(1, nodes)) == top + 1
    assert {len(destinations) for destinations in down.values()} == {1}


def test_flows_of_case_1_meet_where_paper_5_says() -> None:
    """F0, F1 and F2 share the link between the switches, which carries two of them; all but F0 share that to node 4."""
    built = build(V_1.fabric)
    flows = {flow["name"]: (int(flow["src"][1:]) - 1, int(flow["dst"][1:]) - 1) for flow in CASE_1.flows}
    used = Counter(hop for src, dst in flows.values() for hop in route(built, src, dst)[1:])
    between, to_node_4 = used[0, 4], used[1, 2]
    assert (between, to_node_4, max(used.values())) == (3, 4, 4)
    assert route(built, 1, 4)[-1] == (1, 2)
    assert {flow["name"]: flow["role"] for flow in CASE_1.flows if flow["role"] == "victim"} == {"F0": "victim"}


def test_flows_of_case_2_meet_at_four_switches() -> None:
    built = build(V_2.fabric)
    inputs: dict[tuple[int, int], set[object]] = {}
    for src in range(5):
        hops = route(built, src, 7)
        for before, hop in pairwise(hops):
            inputs.setdefault(hop, set()).add(built.fabric.peer(*before))
    assert sorted(len(ports) for ports in inputs.values()) == [1, 1, 1, 2, 2, 2, 2]


@pytest.mark.parametrize(
    ("traffic", "starts_ms"),
    [
        (CASE_1, {"F0": 0, "F1": 2, "F2": 4, "F5": 6, "F6": 6}),
        (CASE_2, {"F1": 0, "F0": 2, "F4": 4, "F2": 6, "F3": 6}),
        (CASE_3, {"F1": 0, "F0": 2, "F4": 4, "F2": 6, "F3": 6}),
    ],
    ids=lambda value: value.name if isinstance(value, Traffic) else "",
)
def test_flows_start_when_paper_5_says_and_end_at_10_ms(traffic: Traffic, starts_ms: dict[str, float]) -> None:
    assert {flow["name"]: flow["start_s"] * 1e3 for flow in traffic.flows} == starts_ms
    assert traffic.duration_s == 0.01
    assert not any("stop_s" in flow or "rate_gbps" in flow for flow in traffic.flows)
    assert traffic.judged_s == (0.006, 0.01)


def test_case_3_adds_uniform_traffic_of_nodes_5_to_7() -> None:
    added = [flow for flow in expanded(V_2, CASE_3) if flow.name.startswith("U-")]
    assert [flow.src for flow in added] == ["H6", "H7", "H8"]
    assert all(len(flow.hosts) == 8 and flow.rate_gbps is None for flow in added)
    assert {flow["src"] for flow in CASE_3.flows} == {f"H{i}" for i in range(1, 6)}


@pytest.mark.parametrize(
    ("traffic", "configuration", "hot_percent", "trees"),
    [
        *((CASE_4[trees], V_3, 25, trees) for trees in (1, 4, 6)),
        *((PATTERN_1, configuration, 12.5, 1) for configuration in (VI_1, VI_2, VI_3)),
        *((PATTERN_2, configuration, 25, 4) for configuration in (VI_1, VI_2, VI_3)),
        *((PATTERN_3, configuration, 37.5, 6) for configuration in (VI_1, VI_2, VI_3)),
    ],
)
def test_a_burst_is_of_as_many_nodes_as_the_papers_say(
    traffic: Traffic, configuration: Configuration, hot_percent: float, trees: int
) -> None:
    nodes = len(configuration.fabric.hosts)
    flows = expanded(configuration, traffic)
    hot = [flow for flow in flows if flow.name.startswith("hot-")]
    cold = [flow for flow in flows if flow.name.startswith("cold-")]
    assert nodes * hot_percent / 100 - 1 <= len(hot) <= nodes * hot_percent / 100  # a lone hot spot does not send to itself
    assert len(cold) == nodes * (1 - hot_percent / 100)
    assert len({flow.src for flow in flows}) == len(flows)
    assert len({flow.dst for flow in hot}) == trees
    counts = Counter(flow.dst for flow in hot).values()
    assert max(counts) - min(counts) <= 1
    assert {(flow.start_s, flow.stop_s) for flow in hot} == {BURST_S}
    assert all(flow.start_s == 0 and flow.stop_s is None and len(flow.hosts) == nodes for flow in cold)
    assert all(flow.rate_gbps is None for flow in flows)


def test_cold_nodes_alone_load_the_network_as_far_as_they_are_many() -> None:
    """87.5 % of the nodes at full rate; headers take 1.25 % of a link, and two that meet hold each other back a little."""
    scheme = next(scheme for scheme in SCHEMES if scheme.name == "voqsw")
    with fabric_files({0: VI_1.fabric}) as paths:
        cold = replace(PATTERN_1, duration_s=0.0008, patterns=PATTERN_1.patterns[:1]).workload(paths[0])
        measured = measure_one(scheme.run(VI_1, cold))
    throughput = float(np.sum(measured.gbps[:, 4:], axis=0).mean()) / VI_1.capacity_gbps
    assert throughput == pytest.approx(0.875 * 2048 / 2074, rel=0.02)


def test_ports_without_a_free_queue_are_read_of_schemes_that_isolate() -> None:
    with fabric_files({0: V_2.fabric}) as paths:
        work = CASE_3.workload(paths[0])
        read = {
            scheme.name: Reading.of(measure_one(scheme.run(V_2, work))) for scheme in SCHEMES if scheme.name in ("1q", "fbicm")
        }
    assert read["1q"].exhausted_ports is None
    ports = read["fbicm"].exhausted_ports
    assert ports is not None
    assert len(ports) == 100
    assert 0 < max(ports) <= 12 * 4


def test_trees_of_a_bed_are_on_one_page() -> None:
    with fabric_files({V_2.name: V_2.fabric}) as paths:
        page = trees_page(paths, Bed(configuration=V_2, traffic=CASE_3), ("1q", "ccfit"))
    assert "V-2/case 3: congestion trees" in page
    assert "CCFIT" in page


@pytest.mark.parametrize("bed", BEDS, ids=lambda bed: bed.name)
def test_every_scheme_that_a_bed_compares_has_devices_that_the_simulator_takes(bed: Bed) -> None:
    configuration = bed.configuration
    for scheme in SCHEMES:
        if configuration.paper in scheme.labels:
            run = scheme.run(configuration, CASE_1.workload("f"))
            model = device_model(nested(run.model), mtu_bytes=2048)
            assert model.scheme.name == scheme.name
            assert (
                model.switch.input_buffer_bytes == {"V": 64 << 10, "VI": 128 << 10, "VI single": 128 << 10}[configuration.paper]
            )
            assert model.switch.read_ports == (8 if configuration.paper == "VI" else 1)
            assert (run.profile != "off") == scheme.throttles


def test_schemes_that_throttle_are_those_that_the_simulator_refuses_without_tables() -> None:
    needs = {row["name"]: row["needs_congestion_control"] for row in ccsim.schemes()}
    assert {scheme.name: scheme.throttles for scheme in SCHEMES} == {scheme.name: needs[scheme.name] for scheme in SCHEMES}


def test_voqnet_has_the_memory_that_the_papers_print() -> None:
    voqnet = next(scheme for scheme in SCHEMES if scheme.name == "voqnet")
    sizes = [
        len(one.fabric.hosts) * MTU_BYTES * voqnet.run(one, CASE_1.workload("f")).model["scheme.queue_packets"]
        for one in (V_3, VI_1, VI_2, VI_3)
    ]
    assert sizes == [256 << 10, 8 << 20, 32 << 20, 128 << 20]


@pytest.mark.parametrize(("configuration", "gbytes"), [(V_1, 5.0), (V_2, 2.5), (V_3, 2.5)], ids=lambda value: str(value)[:20])
def test_crossbars_are_as_fast_as_paper_5_prints(configuration: Configuration, gbytes: float) -> None:
    assert configuration.crossbar_gbps == GBPS_OF_GBYTES[gbytes]


@pytest.mark.parametrize(
    ("name", "scheme"), [("fbicm", "FBICM"), ("ccfit", "CCFIT"), ("hfdi", "HFDI"), ("ecocc", "EcoCC")], ids=lambda value: value
)
def test_isolation_has_the_thresholds_that_the_papers_print(name: str, scheme: str) -> None:
    presets = {row["name"]: row["default"] for row in next(row for row in ccsim.schemes() if row["name"] == name)["parameters"]}
    rules = PAPER_5 if name in ("fbicm", "ccfit") else PAPER_6
    assert presets["special_queues"] == 2, scheme
    stop_and_go = (10, 4) if rules is PAPER_5 else (rules.high_packets, rules.low_packets)
    assert (presets["stop_packets"], presets["go_packets"]) == stop_and_go
    if name in ("ccfit", "ecocc"):
        assert (presets["high_packets"], presets["low_packets"]) == (rules.high_packets, rules.low_packets)


@pytest.mark.parametrize("bed", [bed for bed in BEDS if bed.drawn], ids=lambda bed: bed.name)
def test_a_drawn_burst_has_the_same_hot_nodes_and_hot_spots(bed: Bed) -> None:
    divided = expanded(bed.configuration, bed.traffic)
    hot = {flow.src: flow.dst for flow in divided if flow.name.startswith("hot-")}
    drawn = {flow.src: flow for flow in expanded(bed.configuration, bed) if flow.name.startswith("hot-")}
    assert set(drawn) == set(hot)
    assert all(set(flow.hosts) == set(hot.values()) for flow in drawn.values())
    assert all((flow.start_s, flow.stop_s) == BURST_S for flow in drawn.values())


@pytest.mark.parametrize(("configuration", "high", "low", "timer"), [(V_3, 4, 2, 8), (VI_1, 6, 4, 150)])
def test_throttling_has_the_papers_thresholds(configuration: Configuration, high: int, low: int, timer: int) -> None:
    profile = load_profile(configuration.profile).to_dict()
    devices = configuration.throttling_devices
    mark_at = (16 - profile["switch"]["threshold"]) / 16 * devices["switch.threshold_reference_bytes"]
    assert mark_at == high * PACKET_BYTES
    assert mark_at - devices["switch.hysteresis_bytes"] == low * PACKET_BYTES
    assert profile["ca"]["ccti_timer"] == timer
    assert profile["link"]["rate_gbps"] == ccsim.link_data_gbps(configuration.host_rate)
    assert load_profile(configuration.profile).encode().entries
