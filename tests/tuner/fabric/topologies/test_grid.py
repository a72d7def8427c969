# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tuner.fabric.topologies.base import generate


@pytest.mark.parametrize("kind", ["mesh", "torus"])
def test_switches_are_called_by_the_coordinates_that_they_have(kind: str) -> None:
    fabric = generate(kind, dims=[4, 3, 5])
    assert [switch.name for switch in fabric.switches[:6]] == ["S0-0-0", "S0-0-1", "S0-0-2", "S0-0-3", "S0-0-4", "S0-1-0"]
    assert all(switch.name == "S" + "-".join(map(str, switch.at)) for switch in fabric.switches)


@pytest.mark.parametrize("kind", ["mesh", "torus"])
def test_the_first_port_of_a_dimension_leads_to_the_next_higher_coordinate(kind: str) -> None:
    fabric = generate(kind, dims=[3, 4], hosts_per_switch=2)
    links = {(link.a, link.b) for link in fabric.links}
    assert {("S0-1/3", "S1-1/4"), ("S0-1/5", "S0-2/6"), ("H3/1", "S0-1/1"), ("H4/1", "S0-1/2")} <= links
