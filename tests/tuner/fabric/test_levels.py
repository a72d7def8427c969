# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

import pytest

from api.fabric_drivers.topology import Topology
from tests.tuner.fabric.strange_fabrics import fabric_of
from tuner.documents.fabric import load_fabric
from tuner.fabric.built_fabric import build
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.levels import levels, levels_of_switches
from tuner.fabric.shapes.switch_graph import SwitchGraph
from tuner.fabric.summary import FabricSummary
from tuner.fabric.topologies.base import generate


def test_switches_with_hosts_are_leaves() -> None:
    assert levels_of_switches(load_fabric("two-switch")) == (1, 1)


def test_a_tree_has_as_many_levels_as_it_has() -> None:
    document = generate("xgft", m=[2, 2, 4], w=[1, 2, 2], host_rate="4xDDR")
    levels = levels_of_switches(document)
    assert len(levels) == len(document.switches)
    assert set(levels) == {1, 2, 3}


def test_switches_that_no_host_reaches_have_none() -> None:
    document = load_fabric("two-switch")
    lonely = document.switches[0].model_copy(update={"name": "lonely", "guid": 0x77})
    # The last of the switches, so that the numbers of the others and of their links' ends stay in order.
    without_hosts = document.model_copy(update={"switches": (*document.switches, lonely)})
    assert levels_of_switches(without_hosts) == (1, 1, None)


def test_hosts_on_a_spine_do_not_make_it_a_leaf() -> None:
    leaves, spines = range(4), (4, 5)
    document = fabric_of([(leaf, spine) for leaf in leaves for spine in spines], [8, 8, 8, 8, 2, 0])
    found = levels(SwitchGraph(document))
    assert found.level_of == (1, 1, 1, 1, 2, 2)
    assert found.tops == spines
    assert all(found.in_tree)


def test_islands_have_levels_of_their_own() -> None:
    document = fabric_of([(0, 2), (1, 2), (3, 5), (4, 5), (3, 6), (4, 6)], [3, 3, 0, 4, 4, 1, 0])
    assert levels_of_switches(document) == (1, 1, 2, 1, 1, 2, 2)


REAL = {
    "tree-qdr-8sw-144ca": ({1: 6, 2: 2}, 144),
    "director-edr-174sw-1470ca": ({1: 84, 2: 54, 3: 36}, 1470),
    "superpod-ndr-40sw-582ca": ({1: 31, 2: 9}, 542),
}
"""Switches on each level, and hosts, as the recogniser of shapes says them."""


@pytest.mark.parametrize("name", REAL)
def test_text_table_and_map_of_a_real_fabric_agree(name: str, shared: Path) -> None:
    switches, hosts = REAL[name]
    summary = FabricSummary(build(import_fabric(shared / f"data/fabrics/{name}.ibnetdiscover").fabric))
    assert {level.level: level.switches for level in summary.levels} == switches
    assert sum(level.hosts for level in summary.levels) == hosts
    assert summary.shape.text.endswith(f"{switches[max(switches)]} at the top")
    assert f"{switches[1]} leaves" in summary.shape.text
    found = Topology(summary.document).view()
    assert found["hosts"] == hosts
    rows = {level["level"]: sum(node["count"] for node in level["nodes"]) for level in found["levels"]}
    assert rows == {0: hosts, **switches}
