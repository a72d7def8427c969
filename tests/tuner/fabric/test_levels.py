# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from tuner.documents.fabric import load_fabric
from tuner.fabric.levels import levels_of_switches
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
