# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fabrics of shapes that ibcc cannot generate, and ways to damage a fabric, for tests of what is recognised."""

import random
from collections.abc import Collection, Iterable

from tuner.documents.fabric import FabricDocument, Host, Link, Switch
from tuner.fabric.shapes.switch_graph import SwitchGraph


def fabric_of(links: Iterable[tuple[int, int]], hosts: Iterable[int], name: str = "strange") -> FabricDocument:
    """A fabric of links between switches, and of host ports on each switch: by switch from 0, how many."""
    counts = list(hosts)
    used = [0] * len(counts)

    def port(switch: int) -> str:
        used[switch] += 1
        return f"s{switch}/{used[switch]}"

    made = [Link(a=port(a), b=port(b), rate="4xNDR") for a, b in links]
    nodes: list[Host] = []
    for switch, count in enumerate(counts):
        for _ in range(count):
            nodes.append(Host(name=f"h{len(nodes)}"))
            made.append(Link(a=f"h{len(nodes) - 1}/1", b=port(switch), rate="4xNDR"))
    switches = tuple(Switch(name=f"s{i}", ports=max(1, ports)) for i, ports in enumerate(used))
    return FabricDocument(ibcc_fabric=1, name=name, mtu_bytes=4096, switches=switches, hosts=tuple(nodes), links=tuple(made))


def dragonfly_plus(groups: int, leaves: int, spines: int, hosts: int) -> FabricDocument:
    """Groups of leaves and spines; spine i of each group is linked to spine i of each other."""
    links, counts = [], []
    for g in range(groups):
        first = g * (leaves + spines)
        counts += [hosts] * leaves + [0] * spines
        links += [(first + leaf, first + leaves + spine) for leaf in range(leaves) for spine in range(spines)]
        links += [
            (first + leaves + spine, other * (leaves + spines) + leaves + spine) for other in range(g) for spine in range(spines)
        ]
    return fabric_of(links, counts, f"dragonfly-plus-{groups}")


def storage_above(rng: random.Random) -> FabricDocument:
    """A small leaf-spine with hosts on each of its spines, up to a quarter of all, and leaves of different sizes."""
    leaves, spines = rng.randint(4, 7), rng.randint(2, 3)
    hosts = [rng.randint(spines + 1, spines + 5) for _ in range(leaves)] + [1] * spines
    for _ in range(rng.randint(0, sum(hosts[:leaves]) // 4 - spines)):
        hosts[leaves + rng.randrange(spines)] += 1
    links = [(leaf, leaves + spine) for leaf in range(leaves) for spine in range(spines) for _ in range(rng.randint(1, 2))]
    return fabric_of(links, hosts, "storage-above")


def joined_trees(spines: int = 2, storage: int = 0, each: int = 0) -> FabricDocument:
    """A leaf-spine of four leaves with 9 hosts each and one of six with 10, of two and three spines; a cable joins each of their
    first `spines` spines, or `each` cables join each of these to each spine of the second. `storage`: hosts on each spine of the
    second."""
    first = [(leaf, 4 + spine) for leaf in range(4) for spine in range(2) for _ in range(2)]
    second = [(6 + leaf, 12 + spine) for leaf in range(6) for spine in range(3) for _ in range(2)]
    joints = [(4 + a, 12 + b) for a in range(spines) for b in range(3) for _ in range(each or (1 if a == b else 0))]
    return fabric_of([*first, *second, *joints], [9] * 4 + [0] * 2 + [10] * 6 + [storage] * 3, "joined-trees")


def uneven_tree() -> FabricDocument:
    """Four core switches, of which two have storage; pods of four, three and two leaves; and a leaf below two core switches."""
    links, hosts, leaves = [], [2, 0, 2, 0], []
    for pod, size in enumerate((4, 3, 2)):
        middle = len(hosts)
        hosts += [0, 0]
        links += [(middle + i, core) for i in range(2) for core in (2 * i, 2 * i + 1) for _ in range(2)]
        for leaf in range(size):
            leaves.append(len(hosts))
            links += [(leaves[-1], middle + i) for i in range(2) for _ in range(2)]
            hosts.append(3 + (5 * leaf + pod) % 7)
    links += [(len(hosts), core) for core in (0, 1)]
    return fabric_of(links, [*hosts, 5], "uneven-tree")


def unevenly_used(document: FabricDocument, rng: random.Random, off: float) -> FabricDocument:
    """The same switches and links, with none to five hosts on each switch; a share `off` of the switches has none."""
    graph = SwitchGraph(document)
    empty = set(rng.sample(range(graph.size), int(off * graph.size)))
    links = [pair for pair in graph.pairs for _ in range(graph.links[pair[0]][pair[1]])]
    return fabric_of(links, [0 if s in empty else rng.randint(1, 5) for s in range(graph.size)], document.name)


def without(document: FabricDocument, *, links: Collection[int] = (), switches: Collection[int] = ()) -> FabricDocument:
    """The fabric without some links between switches, by their number among these, and without some switches and what hangs on
    them."""
    gone = {document.switches[s].name for s in switches}
    n = len(document.switches)
    lost = {
        document.hosts[end.node - n].name
        for _, *ends in document.ends()
        for own, end in (ends, ends[::-1])
        if own.node in switches and end.node >= n
    }
    kept, between = [], 0
    for link, a, b in document.ends():
        is_between = a.node < n and b.node < n
        drop = (is_between and between in links) or {document.nodes[a.node].name, document.nodes[b.node].name} & (gone | lost)
        between += is_between
        if not drop:
            kept.append(link)
    return document.model_copy(
        update={
            "switches": tuple(switch for switch in document.switches if switch.name not in gone),
            "hosts": tuple(host for host in document.hosts if host.name not in lost),
            "links": tuple(kept),
        }
    )


def disguised(document: FabricDocument, seed: int = 1) -> FabricDocument:
    """The fabric with its switches, hosts and links in random order, under other names, without coordinates and at minhop."""
    rng = random.Random(seed)
    names = [node.name for node in document.nodes]
    rng.shuffle(names)
    new = {node.name: f"n{names.index(node.name)}" for node in document.nodes}

    def shuffled(items: Iterable[object]) -> tuple[object, ...]:
        mixed = list(items)
        rng.shuffle(mixed)
        return tuple(mixed)

    def end(text: str) -> str:
        name, _, port = text.rpartition("/")
        return f"{new[name]}/{port}"

    return document.model_copy(
        update={
            "switches": shuffled(Switch(name=new[s.name], ports=s.ports) for s in document.switches),
            "hosts": shuffled(host.model_copy(update={"name": new[host.name]}) for host in document.hosts),
            "links": shuffled(link.model_copy(update={"a": end(link.a), "b": end(link.b)}) for link in document.links),
            "routing": "minhop",
        }
    )
