# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Roots of congestion trees, and the ports that belong to them, at one moment."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tuner.report.plots.fabric_cases import generated
from tests.tuner.report.trees.tree_cases import BUFFER, end_to, series_of
from tuner.report.plots.fabric_roots import QUEUED_PACKETS, WAITED
from tuner.report.trees.moments import Moment, TreeFinder

# Leaves S1-1 to S1-3 with two hosts each (H1 and H2 on S1-1), and spines S2-1 and S2-2.
BED = generated("leaf-spine", leaves=3, spines=2, hosts_per_leaf=2)
LONG = 2 * BUFFER


def moment(queued: dict[tuple[str, str], Any], waited: dict[tuple[str, str], Any] | None = None) -> Moment:
    return TreeFinder(BED, series_of(BED, queued, waited)).at(0)


def members(found: Moment) -> set[tuple[int, ...]]:
    ports = series_of(BED, {}).ports
    return {tuple(ports[row]) for row in np.flatnonzero(found.members)}


def test_an_idle_fabric_has_no_tree() -> None:
    found = moment({})
    assert (found.root, found.above_half, found.switch_ports, found.adapters) == (None, 0, 0, 0)
    assert not found.members.any()


def test_a_tree_grows_upstream_over_full_ports() -> None:
    queued = {("S1-3", "H5"): LONG, ("S2-1", "S1-3"): BUFFER, ("S1-1", "S2-1"): BUFFER, ("S1-2", "S2-2"): BUFFER}
    found = moment(queued, {("S2-1", "S1-3"): 0.5, ("S1-1", "S2-1"): 0.5, ("H1", "S1-1"): 0.5, ("H3", "S1-2"): 0.5})
    assert found.root == series_of(BED, {}).ports.index(end_to(BED, "S1-3", "H5"))
    expected = [("S1-3", "H5"), ("S2-1", "S1-3"), ("S1-1", "S2-1"), ("H1", "S1-1")]
    assert members(found) == {tuple(end_to(BED, *way)) for way in expected}  # S1-2 sends to S2-2, which is not in the tree
    assert (found.switch_ports, found.adapters, found.above_half) == (3, 1, 4)


def test_a_port_that_waits_for_a_switch_is_no_root_even_with_the_longest_queue() -> None:
    queued = {("S2-1", "S1-3"): 4 * BUFFER, ("S1-3", "H5"): LONG}
    assert moment(queued, {("S2-1", "S1-3"): WAITED}).root == moment({("S1-3", "H5"): LONG}).root
    assert moment(queued, {("S2-1", "S1-3"): WAITED / 2}).root != moment({("S1-3", "H5"): LONG}).root


def test_a_port_to_an_adapter_may_wait_as_the_adapter_is_the_bottleneck() -> None:
    assert moment({("S1-3", "H5"): LONG}, {("S1-3", "H5"): 0.9}).root is not None


def test_a_few_packets_are_no_tree() -> None:
    enough = QUEUED_PACKETS * BED.mtu_bytes
    assert moment({("S1-3", "H5"): enough - 1}).root is None
    assert moment({("S1-3", "H5"): enough}).root is not None


def test_half_of_a_buffer_is_not_above_half() -> None:
    assert moment({("S1-3", "H5"): BUFFER // 2}).above_half == 0
    assert moment({("S1-3", "H5"): BUFFER // 2 + 1}).above_half == 1


def test_series_of_another_fabric_are_refused() -> None:
    other = generated("leaf-spine", leaves=4, spines=4, hosts_per_leaf=4)
    with pytest.raises(ValueError, match=r"port \d+ of node \d+ has no link in fabric 'leaf-spine"):
        TreeFinder(BED, series_of(other, {}))


PORTS = series_of(BED, {}).ports


@given(
    st.lists(st.integers(0, 8 * BUFFER), min_size=len(PORTS), max_size=len(PORTS)),
    st.lists(st.sampled_from([0.0, WAITED, 1.0]), min_size=len(PORTS), max_size=len(PORTS)),
)
def test_every_member_but_the_root_is_full_and_sends_to_a_node_of_the_tree(queued: list[int], waited: list[float]) -> None:
    series = series_of(BED, {})
    series.queued_bytes[:, 0] = [bytes_ if end.node < len(BED.switches) else 0 for bytes_, end in zip(queued, PORTS, strict=True)]
    series.waited[:, 0] = waited
    finder = TreeFinder(BED, series)
    found = finder.at(0)
    rows = np.flatnonzero(found.members).tolist()
    assert len(rows) == found.switch_ports + found.adapters
    assert (found.root is None) == (not rows)
    if found.root is None:
        return
    nodes = {PORTS[row].node for row in rows if PORTS[row].node < len(BED.switches)}
    full = {row for row, end in enumerate(PORTS) if series.queued_bytes[row, 0] > BUFFER / 2 or waited[row] >= WAITED}
    assert set(rows) - {found.root} == {row for row in full if finder.peers[row].node in nodes} - {found.root}
