#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Writes the net files of this folder for ibsim, and the files that OpenSM's engines ask for; run it here."""

from collections import defaultdict
from itertools import product
from pathlib import Path


class Net:
    def __init__(self) -> None:
        self.switches: dict[str, tuple[int, int]] = {}
        self.hosts: list[str] = []
        self.links: dict[str, list[tuple[int, str, int]]] = defaultdict(list)

    def switch(self, name: str, ports: int) -> None:
        self.switches[name] = (0x200000 + len(self.switches), ports)

    def host(self, switch: str, port: int) -> None:
        self.hosts.append(f"H{len(self.hosts)}")
        self.link(self.hosts[-1], 1, switch, port)

    def link(self, a: str, port_a: int, b: str, port_b: int) -> None:
        self.links[a].append((port_a, b, port_b))
        self.links[b].append((port_b, a, port_a))

    def text(self) -> str:
        sections = []
        for name, (guid, ports) in self.switches.items():
            sections.append(f'switchguid=0x{guid:x}\nSwitch {ports} "{name}"\n' + self._links(name))
        for i, name in enumerate(self.hosts):
            sections.append(f'caguid=0x{0x100000 + 16 * i:x}\nHca 1 "{name}"\n' + self._links(name))
        return "\n".join(sections)

    def _links(self, name: str) -> str:
        return "".join(f'[{port}]\t"{peer}"[{peer_port}]\n' for port, peer, peer_port in sorted(self.links[name]))


def ring() -> Net:
    """Six switches in a ring, two hosts each: port 1 to the next, port 2 to the one before."""
    net = Net()
    for i in range(6):
        net.switch(f"S{i}", 4)
    for i in range(6):
        net.link(f"S{i}", 1, f"S{(i + 1) % 6}", 2)
        for port in (3, 4):
            net.host(f"S{i}", port)
    return net


def fat_tree() -> Net:
    """A 3-ary 3-tree with 3 pods: 9 leaves with 3 hosts each, 9 middle switches, 9 at the top."""
    net = Net()
    for level, pod, i in product("LMT", range(3), range(3)):
        net.switch(f"{level}{pod}.{i}", 6)
    for pod, i, j in product(range(3), repeat=3):
        net.link(f"L{pod}.{i}", 4 + j, f"M{pod}.{j}", 1 + i)
        net.link(f"M{pod}.{i}", 4 + j, f"T{i}.{j}", 1 + pod)
    for pod, i, port in product(range(3), repeat=3):
        net.host(f"L{pod}.{i}", 1 + port)
    return net


TORUS = (5, 4)


def torus() -> Net:
    """A 5x4 torus with a host on each switch: ports 1 and 3 to the next in x and y, ports 2 and 4 to the one before."""
    net = Net()
    for at in product(*map(range, TORUS)):
        net.switch(f"S{''.join(map(str, at))}", 5)
    for at in product(*map(range, TORUS)):
        for d in range(len(TORUS)):
            there = [(n + (k == d)) % TORUS[k] for k, n in enumerate(at)]
            net.link(f"S{''.join(map(str, at))}", 2 * d + 1, f"S{''.join(map(str, there))}", 2 * d + 2)
        net.host(f"S{''.join(map(str, at))}", 5)
    return net


def torus_seed() -> str:
    """What torus-2QoS asks for: the size, and which links of the switch at the origin lead which way."""
    guid = {at: 0x200000 + i for i, at in enumerate(product(*map(range, TORUS)))}
    lines = ["torus " + " ".join(map(str, TORUS)) + " 1"]
    for d, name in enumerate("xy"):
        for sign, step in (("p", 1), ("m", -1)):
            there = tuple(step % TORUS[k] if k == d else 0 for k in range(len(TORUS)))
            lines.append(f"{name}{sign}_link 0x{guid[0, 0]:x} 0x{guid[there]:x}")
    return "\n".join(lines) + "\n"


for name, net in (("ring", ring()), ("fat-tree", fat_tree()), ("torus", torus())):
    Path(name).mkdir(exist_ok=True)
    Path(name, "ibsim.net").write_text(net.text())
Path("ring/roots.txt").write_text("0x200000\n")
Path("torus/torus-2QoS.conf").write_text(torus_seed())
