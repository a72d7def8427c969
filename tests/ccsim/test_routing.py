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


def crowded(hosts: int = 3) -> tuple[ccsim.Fabric, list[ccsim.Flow]]:
    """A ring of six on which every host sends to every other as fast as it can."""
    fabric = ccsim.Fabric()
    for i in range(6):
        fabric.add_node(f"S{i}", "switch", guid=1 + i, num_ports=2 + hosts)
        fabric.set_coordinates(i, [i])
    for i in range(6):
        fabric.connect(i, 1, (i + 1) % 6, 2, rate="4xDDR")
    for i in range(6 * hosts):
        host = fabric.add_node(f"H{i}", "host", guid=100 + i, num_ports=1)
        fabric.connect(host, 1, i // hosts, 3 + i % hosts, rate="4xDDR")
    n = 6 * hosts
    return fabric, [ccsim.Flow(src=src, dst=dst) for src in range(n) for dst in range(n) if src != dst]


@pytest.mark.parametrize("sharing", [False, True])
def test_the_dateline_keeps_a_ring_moving_that_stands_still_without(sharing: bool) -> None:
    model = ccsim.Model()
    model.num_vls = 2
    model.switch.buffer_sharing = "shared" if sharing else "partitioned"
    fabric, flows = crowded()
    fabric.route_by("dor")
    moving = ccsim.Simulation(fabric, flows, model=model, duration_s=0.005, sample_interval_s=0.0005).run()
    assert moving.deadlock is None
    assert moving.received_bytes[:, -1].sum() > 0

    ports = {
        (node, dst): port for src in range(18) for dst in range(18) if src != dst for node, port in fabric.route(src, dst)[1:]
    }
    one_vl, flows = crowded()
    one_vl.route_by("tables")
    for (node, dst), port in ports.items():
        one_vl.set_forward(node, dst, port)
    standing = ccsim.Simulation(one_vl, flows, model=model, duration_s=0.005, sample_interval_s=0.0005).run()
    assert standing.deadlock is not None
    since_s, cycle = standing.deadlock
    assert 0 < since_s < 0.004
    assert cycle == one_vl.credit_loop()
    assert standing.received_bytes[:, -1].sum() == 0


def test_a_seed_gives_another_order_of_destinations_and_the_same_one_each_time() -> None:
    """Two leaves of different numbers of hosts keep their places; equal ones change theirs."""
    fabric = ccsim.Fabric()
    for i in range(8):
        fabric.add_node(f"S{i}", "switch", guid=1 + i, num_ports=16)
    for leaf in range(6):
        for spine in (6, 7):
            fabric.connect(leaf, spine - 5, spine, leaf + 1, rate="4xEDR")
        for host in range(3):
            node = fabric.add_node(f"H{leaf}-{host}", "host", guid=100 + 10 * leaf + host, num_ports=1)
            fabric.connect(node, 1, leaf, 3 + host, rate="4xEDR")

    def entries(seed: int) -> list[int]:
        fabric.route_by("minhop", order_seed=seed)
        return [fabric.route(src, dst)[1][1] for src in range(18) for dst in range(18) if src // 3 != dst // 3]

    assert entries(0) == entries(0)
    assert entries(1) == entries(1)
    assert len({tuple(entries(seed)) for seed in range(10)}) > 2
