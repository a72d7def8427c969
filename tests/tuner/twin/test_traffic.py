# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Hotspots on fabrics of many sizes: who takes part, and that victims have room without the congestion."""

import pytest

from tests.tuner.fabric.strange_fabrics import fabric_of
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.fabric.topologies.base import generate
from tuner.twin.effect import outcome, simulated
from tuner.twin.traffic import SIZES, hotspots


@pytest.mark.parametrize(
    ("leaves", "per_leaf", "size"), [(8, 12, SIZES[0]), (4, 10, SIZES[1]), (4, 5, SIZES[2]), (3, 3, SIZES[3])]
)
def test_the_largest_hotspot_that_fits_is_placed(leaves: int, per_leaf: int, size: tuple[int, int, int]) -> None:
    built = build(generate("leaf-spine", leaves=leaves, spines=2, hosts_per_leaf=per_leaf))
    placed = hotspots(built)
    assert [(one.contributors, one.victims) for one in placed.hotspots] == [(size[0], size[2])]
    hosts = [host for flow in placed.flows for host in (flow.src, flow.dst)]
    assert placed.busy == len(set(hosts)) >= leaves * per_leaf / 4
    assert all(one.shared for one in placed.hotspots)


@pytest.mark.long
def test_many_hotspots_keep_a_quarter_of_the_hosts_busy() -> None:
    built = build(generate("leaf-spine", leaves=24, spines=8, hosts_per_leaf=18))
    placed = hotspots(built)
    assert len(placed.hotspots) == 2
    assert placed.busy / placed.hosts > 0.2
    sources = [flow.src for flow in placed.flows]
    assert len(set(sources)) == len(sources), "no host plays two parts"


def test_victims_are_hurt_without_congestion_control_and_have_room_alone() -> None:
    built = build(generate("leaf-spine", leaves=4, spines=2, hosts_per_leaf=10))
    placed = hotspots(built)
    workload = placed.timed()
    hurt = outcome(built, workload, simulated(built, workload, None))
    assert hurt.hurt > 0
    assert hurt.contributors == pytest.approx(1, abs=0.05)
    alone = workload.model_copy(
        update={"flows": tuple(f if f.role == "victim" else f.model_copy(update={"rate_gbps": 0.001}) for f in workload.flows)}
    )
    free = outcome(built, alone, simulated(built, alone, None))
    assert free.hurt == 0
    assert free.victims > 0.9


def test_victims_begin_after_the_settling() -> None:
    built = build(generate("leaf-spine", leaves=4, spines=2, hosts_per_leaf=5))
    placed = hotspots(built)
    later = placed.timed(1.0)
    assert later.warmup_s >= 1.0
    assert {flow.start_s for flow in later.flows if flow.role == "victim"} == {later.warmup_s}
    assert later.duration_s - later.warmup_s == pytest.approx(placed.timed().duration_s - placed.timed().warmup_s)


@pytest.mark.parametrize("hosts", [[2], [1, 1], [40]])
def test_where_no_victim_can_share_a_link_it_is_said(hosts: list[int]) -> None:
    """Two hosts; two switches with a host each; all hosts on one switch."""
    links = [(0, 1)] if len(hosts) == 2 else []
    with pytest.raises(BadInputError, match="too few for an incast|as they are all on one switch"):
        hotspots(build(fabric_of(links, hosts)))
