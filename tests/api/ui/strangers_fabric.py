# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric that no example of ibcc knows: a tree of three levels with 128 hosts, as ibnetdiscover prints it, with the node
descriptions that sites have: hosts without a name of their own, blanks, quotes, markup, letters that are no ASCII."""

from collections import defaultdict
from dataclasses import dataclass, field

RATE = "4xHDR"
CORES, PODS = 4, 4
LEAVES, SPINES = 4, 2
"""Leaves and spines in each pod."""
HOSTS = 8
"""Hosts on each leaf."""
SWITCH_PORTS = 40

_RACKS = ["Zürich-B12", "øst 'hall' 3", "lab<b>4</b>", "カニ/5"]


@dataclass
class _Node:
    guid: int
    name: str
    lid: int
    ports: dict[int, tuple["_Node", int]] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"{'H' if self.guid >> 60 == 0xE else 'S'}-{self.guid:016x}"


def strangers_fabric() -> str:
    """ibnetdiscover's output for the fabric: 28 switches and 128 hosts."""
    nodes: list[_Node] = []
    next_port: dict[int, int] = defaultdict(int)

    def node(guid: int, name: str) -> _Node:
        nodes.append(_Node(guid, name, len(nodes) + 7))
        return nodes[-1]

    def link(a: _Node, b: _Node) -> None:
        for one in (a, b):
            next_port[one.guid] += 1
        a.ports[next_port[a.guid]], b.ports[next_port[b.guid]] = (b, next_port[b.guid]), (a, next_port[a.guid])

    cores = [node(0x248A0703001A0000 + 64 * i, f"MF0;core{i:02}:CS8500/L{i + 1}/U1") for i in range(CORES)]
    for pod, rack in enumerate(_RACKS[:PODS]):
        spines = [node(0xB83FD20300C00000 + 4096 * pod + 64 * i, f"MF0;{rack}-agg{i}:MQM8700/U1") for i in range(SPINES)]
        for i, spine in enumerate(spines):
            for core in cores[i::SPINES]:
                for _ in range(4):
                    link(spine, core)
        for leaf_number in range(LEAVES):
            leaf = node(0xB83FD20300D00000 + 4096 * pod + 64 * leaf_number, f"MF0;{rack}-tor{leaf_number}:MQM8700/U1")
            for spine in spines:
                for _ in range(4):
                    link(leaf, spine)
            for n in range(HOSTS):
                # One host of each leaf has the name that it was installed with.
                name = "localhost mlx5_0" if n == HOSTS - 1 else f"{rack} n{8 * leaf_number + n:03} mlx5_{n % 2}"
                link(node(0xE8EBD30300100000 + 4096 * pod + 64 * leaf_number + 4 * n, name), leaf)
    return "#\n# Topology file: generated on Tue Nov 24 06:12:01 2026\n#\n\n" + "\n".join(_section(one) for one in nodes)


def _section(node: _Node) -> str:
    if node.id[0] == "S":
        header = f'Switch\t{SWITCH_PORTS} "{node.id}"\t\t# "{node.name}" enhanced port 0 lid {node.lid} lmc 0'
        lines = [
            f'[{port}]\t"{peer.id}"[{at}]{_port_guid(peer)}\t\t# "{peer.name}" lid {peer.lid} {RATE}'
            for port, (peer, at) in sorted(node.ports.items())
        ]
    else:
        header = f'Ca\t1 "{node.id}"\t\t# "{node.name}"'
        ((port, (peer, at)),) = node.ports.items()
        end = f'"{peer.id}"[{at}]\t\t# lid {node.lid} lmc 0 "{peer.name}" lid {peer.lid} {RATE}'
        lines = [f"[{port}]{_port_guid(node)}\t{end}"]
    return "\n".join([header, *lines, ""])


def _port_guid(node: _Node) -> str:
    return f"({node.guid:x})" if node.id[0] == "H" else ""
