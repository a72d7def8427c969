# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from tuner.fabric.topologies.base import generate


def test_neighbours_differ_in_one_bit_and_its_port_is_the_same_at_both() -> None:
    fabric = generate("hypercube", n=4, hosts_per_switch=3)
    for link in fabric.links:
        if not link.a.startswith("H"):
            (a, port_a), (b, port_b) = link.a.split("/"), link.b.split("/")
            differing = [bit for bit, (x, y) in enumerate(zip(a[1:], b[1:], strict=True)) if x != y]
            assert len(differing) == 1
            assert port_a == port_b == str(3 + 1 + differing[0])


def test_switches_are_called_by_their_bits() -> None:
    fabric = generate("hypercube", n=2)
    assert [(switch.name, switch.at) for switch in fabric.switches] == [
        ("S00", (0, 0)),
        ("S01", (0, 1)),
        ("S10", (1, 0)),
        ("S11", (1, 1)),
    ]
