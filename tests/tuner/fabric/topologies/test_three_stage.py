# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from collections import Counter

import pytest

from tuner.errors import BadInputError
from tuner.fabric.topologies.base import generate, topology
from tuner.fabric.topologies.layout import Counts


def test_of_36_ports_it_is_the_fabric_of_648_hosts() -> None:
    made = topology("three-stage", {"radix": 36})
    assert made.expected() == Counts(hosts=648, switches=54, links=1296)
    fabric = made.fabric()
    assert (len(fabric.hosts), len(fabric.switches), len(fabric.links)) == (648, 54, 1296)
    assert {switch.ports for switch in fabric.switches} == {36}


def test_each_leaf_is_linked_once_to_each_spine() -> None:
    fabric = generate("three-stage", radix=8)
    between = Counter(
        (fabric.nodes[a.node].name, fabric.nodes[b.node].name) for _, a, b in fabric.ends() if b.port and a.port > 4
    )
    assert between == Counter({(f"S1-{leaf}", f"S2-{spine}"): 1 for leaf in range(1, 9) for spine in range(1, 5)})


def test_it_is_an_xgft_of_two_levels() -> None:
    assert generate("three-stage", radix=6, name="t") == generate("xgft", m=[3, 6], w=[1, 3], name="t")


def test_an_odd_number_of_ports_is_refused() -> None:
    with pytest.raises(BadInputError, match="radix is 37; it must be even, as half of a leaf's ports lead up"):
        topology("three-stage", {"radix": 37})
