# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What holds for every kind of pattern, shown on the examples that it gives of itself: a new kind is in here unnamed."""

import json
import re
from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from tests.tuner.documents.patterns import bed
from tuner.documents.expanded_flow import ExpandedFlow
from tuner.documents.hosts import HostDirectory
from tuner.documents.patterns.base import PATTERNS
from tuner.documents.schemas import schema_texts

EXAMPLES = [
    pytest.param({"kind": kind, "name": "p", **example}, id=f"{kind}-{i}")
    for kind in PATTERNS.names()
    for i, example in enumerate(PATTERNS.get(kind).examples)
]
of_every_kind = pytest.mark.parametrize("example", EXAMPLES)


class RecordingHosts:
    """A HostSelector that remembers which hosts it has named."""

    def __init__(self, hosts: HostDirectory) -> None:
        self._hosts = hosts
        self.named: set[str] = set()

    def select(self, selector: str) -> Sequence[str]:
        selected = self._hosts.select(selector)
        self.named |= set(selected)
        return selected

    def capacity_gbps(self, reference: str, message_bytes: int) -> float:
        return self._hosts.capacity_gbps(reference, message_bytes)


def plain(flow: ExpandedFlow, **changes: Any) -> dict[str, Any]:
    """A flow as values that compare."""
    values = {name: getattr(flow, name) for name in ExpandedFlow.model_fields}
    return (
        values
        | {"destinations": None if flow.destinations is None else astuple(flow.destinations), "generator": flow.generator is None}
        | changes
    )


def offered_gbps(flow: ExpandedFlow) -> float | None:
    """The mean rate that a flow asks for; None if that is all it can get, or what others allow."""
    if flow.rate_gbps is None or flow.loop is not None or flow.messages is not None:
        return None
    bursts = flow.bursts
    return flow.rate_gbps if bursts is None else flow.rate_gbps * bursts.on_s / (bursts.on_s + bursts.off_s)


def is_random(flow: ExpandedFlow) -> bool:
    drawn = flow.destinations is not None and flow.destinations.order == "uniform"
    return drawn or (flow.bursts is not None and flow.bursts.random)


def test_every_kind_gives_examples_of_itself() -> None:
    for kind in PATTERNS.names():
        assert PATTERNS.get(kind).examples, kind
        assert kind == kind.lower(), kind
        assert "_" not in kind


@of_every_kind
def test_the_schema_takes_it(example: dict[str, Any]) -> None:
    document = {"ibcc_workload": 1, "name": "w", "fabric": "f", "duration_s": 1, "patterns": [example]}
    Draft202012Validator(json.loads(schema_texts()["workload"])).validate(document)


@of_every_kind
def test_flows_have_names_of_their_own_that_tell_the_pattern(example: dict[str, Any]) -> None:
    names = [flow.name for flow in bed.expanded(example)]
    assert len(set(names)) == len(names) > 0
    for name in names:
        assert re.fullmatch(r"p(-[a-z]+)*-[1-9][0-9]*", name), name


@of_every_kind
def test_flows_run_between_hosts_that_the_document_names(example: dict[str, Any]) -> None:
    hosts = RecordingHosts(bed.star().hosts)
    for flow in bed.workload(example).expanded(hosts).flows:
        assert isinstance(flow, ExpandedFlow)
        others = set(flow.hosts) - {flow.src}
        assert others, flow.name
        assert others | {flow.src} <= hosts.named
        if flow.destinations is None:
            assert flow.src != flow.dst
        assert flow.role in ("contributor", "victim", "other")


@of_every_kind
def test_expansion_is_the_same_every_time(example: dict[str, Any]) -> None:
    first, second = (list(map(plain, bed.expanded(example))) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("kind", [kind for kind in PATTERNS.names() if "seed" in PATTERNS.get(kind).model_fields])
def test_another_seed_is_another_draw(kind: str) -> None:
    draws = []
    for seed in (1, 2, 1):
        documents = [{"kind": kind, "name": f"p{i}", **e, "seed": seed} for i, e in enumerate(PATTERNS.get(kind).examples)]
        draws.append(list(map(plain, bed.expanded(*documents))))
    assert draws[0] == draws[2]
    assert draws[0] != draws[1]


@of_every_kind
def test_start_stop_and_sl_are_those_of_its_flows(example: dict[str, Any]) -> None:
    for flow in bed.expanded(example | {"start_s": 0.0004, "stop_s": 0.0015, "sl": 5}):
        assert (flow.start_s, flow.stop_s) == (0.0004, 0.0015)
        assert flow.sl == 5 or flow.messages is not None  # a trace may say it for each message


@of_every_kind
def test_all_its_times_scale_and_nothing_else(example: dict[str, Any]) -> None:
    work = bed.workload(example | {"start_s": 0.0002}, duration_s=0.002)
    once, twice = work.expanded(bed.star().hosts).flows, work.scaled(2).expanded(bed.star().hosts).flows
    for one, other in zip(once, twice, strict=True):
        assert isinstance(one, ExpandedFlow)
        assert isinstance(other, ExpandedFlow)
        assert other.start_s == 2 * one.start_s
        if one.bursts is not None:
            assert other.bursts is not None
            assert (other.bursts.on_s, other.bursts.off_s) == (2 * one.bursts.on_s, 2 * one.bursts.off_s)
        if one.destinations is not None:
            assert other.destinations is not None
            assert other.destinations.period_s == 2 * one.destinations.period_s
            assert other.destinations.hosts == one.destinations.hosts
        else:
            assert other.dst == one.dst
        if one.messages is not None:
            assert other.messages is not None
            assert np.array(other.messages) == pytest.approx(np.array(one.messages) * (2, 1))
        same = ("name", "src", "role", "message_bytes", "qps", "sl", "rate_gbps", "loop")
        assert [getattr(one, key) for key in same] == [getattr(other, key) for key in same]


@of_every_kind
def test_it_carries_what_it_offers(example: dict[str, Any]) -> None:
    """Every flow within 1 %; where bursts are of random lengths, their sum over all flows and a longer time."""
    random_bursts = any(flow.bursts is not None and flow.bursts.random for flow in bed.expanded(example))
    duration_s = 0.1 if random_bursts else 0.02
    run = bed.run(bed.workload(example, duration_s=duration_s))
    offered, carried = [], []
    for flow, received in zip(run.flows, run.received_bytes, strict=True):
        assert isinstance(flow, ExpandedFlow)
        assert received > 0, flow.name
        gbps = offered_gbps(flow)
        if gbps is not None:
            offered.append(gbps)
            carried.append(received * 8e-9 / (duration_s - flow.start_s))
        if flow.messages is not None:
            assert received == sum(size for _, size in flow.messages)
    if random_bursts:
        assert sum(carried) == pytest.approx(sum(offered), rel=0.01)
    else:
        assert carried == pytest.approx(offered, rel=0.01)


@of_every_kind
def test_it_sends_only_between_start_and_stop_and_to_the_hosts_of_the_flow(example: dict[str, Any]) -> None:
    run = bed.run(bed.workload(example | {"start_s": 0.0005, "stop_s": 0.0011}, duration_s=0.002), trace_packets=2_000_000)
    sent, delivered = run.packets(0), run.packets(1)
    assert len(sent["time_ns"]) == len(delivered["time_ns"]) > 0
    assert sent["time_ns"].min() >= 0.5e6
    assert sent["time_ns"].max() <= 1.1e6
    for i, flow in enumerate(run.flows):
        assert isinstance(flow, ExpandedFlow)
        where = set(delivered["node"][delivered["flow"] == i].tolist())
        assert {f"H{node}" for node in where} <= set(flow.hosts) - {flow.src}
        assert {f"H{node}" for node in sent["node"][sent["flow"] == i].tolist()} <= {flow.src}


@of_every_kind
def test_the_same_seed_sends_the_same_packets(example: dict[str, Any]) -> None:
    work = bed.workload(example, duration_s=0.001)
    traces = []
    for seed in (1, 1, 2):
        packets = bed.run(work, seed=seed, trace_packets=2_000_000).result.packets
        assert packets is not None
        traces.append(packets)
    assert all(np.array_equal(traces[0][column], traces[1][column]) for column in traces[0])
    others = all(np.array_equal(traces[0][column], traces[2][column]) for column in traces[0])
    assert others == (not any(is_random(flow) for flow in bed.expanded(example, duration_s=0.001)))
