# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One subnet of a fabric whose planes or rails are several: its switches, and its adapters with the ports that are in it.

Subnets are numbered as `FabricDocument.subnets` has them. Each has a subnet manager, LIDs and routes of its own.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from tuner.document_base.model import build_model
from tuner.document_base.words import listed
from tuner.documents.fabric import End, FabricDocument, Host
from tuner.documents.printable import shortened
from tuner.documents.subnets import Joined
from tuner.errors import BadInputError

_NAME_LETTERS = 40
_MOST_TOLD = 8
"""Subnets that a sentence describes; the others are counted."""


@dataclass(frozen=True, kw_only=True)
class Subnet:
    """What one subnet has. `hosts`: adapters, those inside switches among them, and `ports` their linked ports; `routers`: which
    are none of these; `first`: name of its first switch; `group`: equal where routers
    lead from one subnet to another, None without routers."""

    number: int
    switches: int
    hosts: int
    ports: int
    first: str
    routers: int = 0
    group: int | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "subnet": self.number,
            "switches": self.switches,
            "hosts": self.hosts,
            "ports": self.ports,
            "first": shortened(self.first, _NAME_LETTERS),
        }


def subnets(document: FabricDocument) -> list[Subnet]:
    """All subnets that have hosts, in the order of their numbers."""
    n_switches = len(document.switches)
    switches: Counter[int] = Counter()
    ports: Counter[int] = Counter()
    hosts: dict[int, set[int]] = {}
    routers: dict[int, set[int]] = {}
    first: dict[int, str] = {}
    for (node, port), number in document.subnets.items():
        first.setdefault(number, document.nodes[node].name)
        if node < n_switches:
            switches[number] += 1
        else:
            assert port
            hosts.setdefault(number, set())
            is_router = document.nodes[node].kind == "router"
            (routers.setdefault(number, set()) if is_router else hosts[number]).add(node)
            ports[number] += not is_router
    routed = Joined[int]()
    for i, nodes in routers.items():
        for j, others in routers.items():
            if nodes & others:
                routed.join(i, j)
    return [
        Subnet(
            number=i,
            switches=switches[i],
            hosts=len(hosts[i]),
            ports=ports[i],
            first=first[i],
            routers=len(routers.get(i, ())),
            group=routed.root(i) if i in routers else None,
        )
        for i in sorted(hosts)
    ]


def described(found: list[Subnet]) -> str:
    """Returns several subnets in words."""
    groups = {subnet.group for subnet in found}
    begin = f"{len(found)} subnets, which {'routers alone join' if None not in groups and len(groups) == 1 else 'no link joins'}"
    if len({(subnet.switches, subnet.hosts, subnet.routers) for subnet in found}) == 1:
        return f"{begin}, each with {_parts(found[0])}"
    told = [
        f"{subnet.number} has {_parts(subnet)}, the first is '{shortened(subnet.first, _NAME_LETTERS)}'"
        for subnet in found[:_MOST_TOLD]
    ]
    more = [] if len(found) <= _MOST_TOLD else [f"and {len(found) - _MOST_TOLD} more"]
    return f"{begin}: {'; '.join([*told, *more])}"


def _parts(subnet: Subnet) -> str:
    parts = [_count(subnet.switches, "switch", "switches"), _count(subnet.hosts, "adapter", "adapters")]
    return listed([*parts, *([_count(subnet.routers, "router", "routers")] if subnet.routers else [])])


def _count(number: int, singular: str, plural: str) -> str:
    return f"{number} {singular if number == 1 else plural}"


def largest(found: list[Subnet]) -> Subnet:
    """The subnet with most adapters, the first of several."""
    return max(found, key=lambda one: (one.ports, one.switches, -one.number))


def largest_described(found: list[Subnet]) -> str:
    """Returns which subnet `largest` takes, in words: `subnet 2, the largest of 3`, `subnet 1, the first of 3 of one size`."""
    taken = largest(found)
    equal = sum((one.ports, one.switches) == (taken.ports, taken.switches) for one in found)
    if equal == 1:
        return f"subnet {taken.number}, the largest of {len(found)}"
    return f"subnet {taken.number}, the first of {f'{equal} of one size' if equal == len(found) else f'the {equal} largest'}"


def of_subnet(document: FabricDocument, number: int) -> FabricDocument:
    """Returns the document of one subnet alone; of adapters with ports in others, only those in this one are described. Raises
    BadInputError for a number that there is not."""
    found = subnets(document)
    if not any(one.number == number for one in found):
        raise BadInputError(f"subnet {number} is not in fabric '{document.name}': it has {_range(len(found))}")
    n_switches = len(document.switches)
    if len(found) == 1 and sum(node < n_switches for node, _ in document.subnets) == n_switches:
        return document
    inside = {End(*end) for end, one in document.subnets.items() if one == number}
    kept = {end.node for end in inside}
    links = tuple(link for link, a, _ in document.ends() if (End(a.node, 0) if a.node < n_switches else a) in inside)
    switches = tuple(switch for i, switch in enumerate(document.switches) if i in kept)
    hosts = tuple(_with_ports(host, i, inside) for i, host in enumerate(document.hosts, start=n_switches) if i in kept)
    names = {document.nodes[i].name for i in kept} | {f"guid:0x{document.guid_of(i):016x}" for i in kept}
    rows = {
        section: tuple(
            row.model_copy(update={"nodes": tuple(name for name in row.nodes if name in names)})
            for row in getattr(document, section)
            if not row.nodes or any(name in names for name in row.nodes)
        )
        for section in ("hardware", "congestion_control")
    }
    values = {key: getattr(document, key) for key in FabricDocument.model_fields} | rows
    values |= {
        "switches": switches,
        "hosts": hosts,
        "links": links,
        "roots": tuple(root for root in document.roots if root in names),
        "lfts": {switch: table for switch, table in document.lfts.items() if switch in names},
        "forwarding": {switch: routes for switch, routes in document.forwarding.items() if switch in names},
    }
    return build_model(FabricDocument, values)


def _with_ports(host: Host, node: int, inside: set[End]) -> Host:
    endports = tuple(endport for endport in host.endports if End(node, endport.port) in inside)
    return host if endports == host.endports else host.model_copy(update={"endports": endports})


def _range(count: int) -> str:
    return {0: "none", 1: "subnet 1 alone"}.get(count, f"subnets 1 to {count}")
