# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

import ccsim


def ring(switches: int) -> ccsim.Fabric:
    """One host a switch; port 1 to the next, port 2 to the one before."""
    fabric = ccsim.Fabric()
    for i in range(switches):
        fabric.add_node(f"S{i}", "switch", guid=1 + i, num_ports=3)
        fabric.set_coordinates(i, [i])
    for i in range(switches):
        fabric.connect(i, 1, (i + 1) % switches, 2, rate="4xEDR")
        fabric.connect(fabric.add_node(f"H{i}", "host", guid=100 + i, num_ports=1), 1, i, 3, rate="4xEDR")
    return fabric


def test_every_routing_can_be_named() -> None:
    assert ccsim.routing_names() == ["dmodk", "dor", "minhop", "tables", "updown"]
    with pytest.raises(ValueError, match="routing 'lash' is not known; there are dmodk, dor, minhop, tables, updown"):
        ring(3).route_by("lash")


def test_dor_on_a_ring_needs_two_vls() -> None:
    fabric = ring(6)
    fabric.route_by("dor")
    assert fabric.min_vls == 2
    assert fabric.credit_loop() is None
    fabric.route_by("minhop")
    assert fabric.min_vls == 1


def test_a_credit_loop_is_a_list_of_channels() -> None:
    fabric = ring(3)
    fabric.route_by("tables")
    for switch in range(3):
        for host in range(3):
            fabric.set_forward(switch, host, 3 if host == switch else 1)
    assert fabric.credit_loop() == [(0, 1, 0), (1, 1, 0), (2, 1, 0)]
    assert fabric.credit_loop(num_vls=4) == fabric.credit_loop()


def test_coordinates_are_for_switches() -> None:
    fabric = ring(3)
    with pytest.raises(ValueError, match="node index 3 is not a switch; only switches have coordinates"):
        fabric.set_coordinates(3, [0])
    with pytest.raises(ValueError, match="'S0' is given 0 coordinates; 1 to 16 are possible"):
        fabric.set_coordinates(0, [])


def test_a_run_that_does_not_stand_still_has_no_deadlock() -> None:
    fabric = ring(6)
    fabric.route_by("dor")
    flows = [ccsim.Flow(src=i, dst=(i + 3) % 6) for i in range(6)]
    model = ccsim.Model()
    model.num_vls = 2
    assert ccsim.Simulation(fabric, flows, model=model, duration_s=0.001, sample_interval_s=0.0001).run().deadlock is None
