# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A leaf-spine with what tables of examples do not have, as ibnetdiscover prints it: storage on both spines, adapters of three
generations, hosts with two ports at two leaves, and node descriptions that are empty, alike, or have what separates places."""

from collections.abc import Iterator
from dataclasses import dataclass, field

LEAVES, SPINES, HOSTS = 4, 2, 6
NAMES = ("", "", "a, b to c – d", "l1 and l2", "n" * 64, "knoten-ü 雪", "x'y", "node/7", "MT4115 ConnectX4", "MT4115 ConnectX4")
"""Of the first hosts; the others are called node1 and so on."""
_RATES = ("4xQDR", "4xFDR", "4xEDR")


@dataclass
class _Node:
    guid: int
    name: str
    is_switch: bool
    ports: dict[int, tuple["_Node", int, str]] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return f"{'S' if self.is_switch else 'H'}-{self.guid:016x}"


def printed() -> str:
    """Each leaf has adapters of all generations, its links to the spines are EDR."""
    spines = [_Node(0x200000 + i, f"spine {i}", True) for i in range(SPINES)]
    leaves = [_Node(0x210000 + i, f"MF0;leaf-{i}:SX6036/U1", True) for i in range(LEAVES)]
    hosts = [_Node(0x100000 + 16 * i, name, False) for i, name in enumerate(_names(LEAVES * HOSTS))]
    storage = [_Node(0x180000 + 16 * i, f"oss{i} mlx5_0", False) for i in range(2 * SPINES)]
    for number, host in enumerate(hosts):
        at = number // HOSTS
        _join(host, 1, leaves[at], 1 + number % HOSTS, _RATES[number % len(_RATES)])
        if number % HOSTS == HOSTS - 1:
            _join(host, 2, leaves[(at + 1) % LEAVES], 10, "4xEDR")
    for number, host in enumerate(storage):
        _join(host, 1, spines[number % SPINES], 30 + number // SPINES, "4xEDR")
    for i, leaf in enumerate(leaves):
        for j, spine in enumerate(spines):
            for k in range(2):
                _join(leaf, 20 + 2 * j + k, spine, 1 + 2 * i + k, "4xEDR")
    return "\n".join(line for node in (*spines, *leaves, *hosts, *storage) for line in _lines(node)) + "\n"


def _names(count: int) -> Iterator[str]:
    yield from NAMES
    yield from (f"node{i} mlx5_0" for i in range(1, 1 + count - len(NAMES)))


def _join(a: _Node, port: int, b: _Node, other: int, rate: str) -> None:
    a.ports[port], b.ports[other] = (b, other, rate), (a, port, rate)


def _lines(node: _Node) -> Iterator[str]:
    kind = "switch" if node.is_switch else "ca"
    yield f"vendid=0x2c9\ndevid=0x1\nsysimgguid=0x{node.guid:x}\n{kind}guid=0x{node.guid:x}({node.guid:x})"
    count = 36 if node.is_switch else 2
    tail = " enhanced port 0 lid 1 lmc 0" if node.is_switch else ""
    yield f'{"Switch" if node.is_switch else "Ca"}\t{count} "{node.key}"\t\t# "{node.name}"{tail}'
    for port, (peer, other, rate) in sorted(node.ports.items()):
        here = "" if node.is_switch else f"({node.guid + port:x})"
        there = "" if peer.is_switch else f"({peer.guid + other:x})"
        lid = "" if node.is_switch else f" lid {(node.guid >> 4) % 5000 + port} lmc 0"
        yield f'[{port}]{here}\t"{peer.key}"[{other}]{there}\t\t#{lid} "{peer.name}" lid 1 {rate}'
    yield ""
