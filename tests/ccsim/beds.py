# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Small fabrics to test the simulator with."""

from dataclasses import dataclass

import ccsim


@dataclass
class Bed:
    """A fabric and the endports of its hosts, H1 first."""

    fabric: ccsim.Fabric
    hosts: list[int]

    def flow(self, source: int, destination: int, start_s: float = 0.0, stop_s: float | None = None) -> ccsim.Flow:
        """From host number `source` to host number `destination`, counted from 1."""
        return ccsim.Flow(src=self.hosts[source - 1], dst=self.hosts[destination - 1], start_s=start_s, stop_s=stop_s)


def one_switch(num_hosts: int, *, rate: str = "4xDDR", mtu_bytes: int = 2048) -> Bed:
    fabric = ccsim.Fabric(mtu_bytes=mtu_bytes)
    switch = fabric.add_node("S1", "switch", guid=1, num_ports=num_hosts)
    hosts = []
    for i in range(1, num_hosts + 1):
        host = fabric.add_node(f"H{i}", "host", guid=100 + i, num_ports=1)
        fabric.connect(host, 1, switch, i, rate=rate)
        hosts.append(fabric.endport(host, 1))
    fabric.route_by("minhop")
    return Bed(fabric, hosts)


def two_switch(*, inject_gbps: float | None = 13.0, receive_gbps: float | None = 13.3) -> Bed:
    """H1 to H3 on S1, H4 to H7 on S2, as in the thesis' test bed."""
    fabric = ccsim.Fabric(mtu_bytes=2048)
    switches = [fabric.add_node(name, "switch", guid=guid, num_ports=36) for guid, name in enumerate(("S1", "S2"), 1)]
    hosts = []
    for i in range(1, 8):
        host = fabric.add_node(f"H{i}", "host", guid=100 + i, num_ports=1)
        fabric.set_host_limits(host, inject_gbps=inject_gbps, receive_gbps=receive_gbps)
        fabric.connect(host, 1, switches[i > 3], i, rate="4xDDR")
        hosts.append(fabric.endport(host, 1))
    fabric.connect(switches[0], 36, switches[1], 36, rate="4xQDR")
    fabric.route_by("minhop")
    return Bed(fabric, hosts)
