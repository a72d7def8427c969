# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from tuner.fabric.topologies.base import generate


def test_hosts_stand_on_the_low_ports_and_trunks_on_the_high_ones() -> None:
    fabric = generate("dumbbell", left=1, right=2, trunks=2, host_rate="4xDDR", switch_rate="4xQDR")
    assert [(link.a, link.b, link.rate) for link in fabric.links] == [
        ("H1/1", "S1/1", "4xDDR"),
        ("H2/1", "S2/1", "4xDDR"),
        ("H3/1", "S2/2", "4xDDR"),
        ("S1/2", "S2/3", "4xQDR"),
        ("S1/3", "S2/4", "4xQDR"),
    ]
    assert [switch.ports for switch in fabric.switches] == [3, 4]
