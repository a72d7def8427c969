# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Binary hypercubes: a switch for each number of n bits, linked to those whose numbers differ from its own in one bit."""

from itertools import product
from typing import Annotated

from tuner.document_base.model import Within
from tuner.fabric.topologies.base import TOPOLOGIES, PortsTaken, Topology
from tuner.fabric.topologies.layout import Counts, Layout


class Hypercube(Topology):
    """2^n switches in n dimensions of two; above the ports to its hosts, a switch has a port for each dimension."""

    suited_routing = "dor"
    examples = ({"n": 1}, {"n": 3}, {"n": 4, "hosts_per_switch": 2}, {"n": 5})

    n: Annotated[int, Within(1, 15)]
    """Dimensions; 2^n switches."""
    hosts_per_switch: PortsTaken = 1
    """Hosts on each switch."""

    def expected(self) -> Counts:
        switches = 2**self.n
        hosts = switches * self.hosts_per_switch
        return Counts(hosts=hosts, switches=switches, links=hosts + self.n * switches // 2)

    def switch_ports(self) -> int:
        return self.hosts_per_switch + self.n

    def diameter(self) -> int:
        return self.n

    def lay_out(self, layout: Layout) -> None:
        corners = list(product((0, 1), repeat=self.n))
        names = {at: layout.switch("S" + "".join(map(str, at)), self.switch_ports(), at=at) for at in corners}
        for name in names.values():
            for port in range(1, self.hosts_per_switch + 1):
                layout.host(name, port)
        for at, name in names.items():
            for dimension in range(self.n):
                if at[dimension] == 0:
                    port = self.hosts_per_switch + 1 + dimension
                    layout.link(name, port, names[(*at[:dimension], 1, *at[dimension + 1 :])], port)


TOPOLOGIES.add("hypercube", Hypercube)
