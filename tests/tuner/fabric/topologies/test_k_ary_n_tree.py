# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tuner.errors import BadInputError
from tuner.fabric.topologies.base import generate, topology
from tuner.fabric.topologies.layout import Counts


def test_the_18_ary_3_tree_has_5832_hosts() -> None:
    made = topology("k-ary-n-tree", {"k": 18, "n": 3})
    assert made.expected() == Counts(hosts=5832, switches=972, links=17496)
    assert made.switch_ports() == 36


def test_it_is_an_xgft_of_equal_numbers() -> None:
    assert generate("k-ary-n-tree", k=3, n=3, name="t") == generate("xgft", m=[3, 3, 3], w=[1, 3, 3], name="t")


def test_switches_of_the_top_have_only_links_down() -> None:
    fabric = generate("k-ary-n-tree", k=4, n=3)
    ports = {switch.name: switch.ports for switch in fabric.switches}
    assert [ports["S1-1"], ports["S2-16"], ports["S3-16"]] == [8, 8, 4]


def test_too_many_hosts_for_a_subnet_are_refused() -> None:
    with pytest.raises(BadInputError, match="would have 65536 hosts and 16384 switches; a subnet has LIDs for 49151"):
        topology("k-ary-n-tree", {"k": 16, "n": 4})
