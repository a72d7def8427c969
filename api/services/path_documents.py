# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Links of a fabric, and the path that packets take from one host to another by the forwarding tables."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product

from api.base.problems import InvalidInput
from api.documents.topology import Hop, LinkRow, PathOut
from api.fabric_drivers.base import FabricPicture, guid_text
from api.fabric_drivers.sight import Key
from api.fabric_drivers.topology import topology_of
from api.services.congestion_documents import Seen, link_end
from ccsim import link_data_gbps
from tuner.documents.fabric import FabricDocument
from tuner.documents.hosts import Endport
from tuner.documents.printable import printable
from tuner.fabric.built_fabric import BuiltFabric


def path_document(driver: FabricPicture, source: str, destination: str, expand: Sequence[str], seen: Seen) -> PathOut:
    """`source`, `destination`: GUIDs of hosts; of their links, the first that are in one subnet are used. Raises InvalidInput for
    those of no host, and BadInputError for an id in `expand` that is none."""
    built = driver.wiring()
    assert built is not None, "require_wiring comes first"
    document = built.document
    sources, destinations = _endports(built, source, "from"), _endports(built, destination, "to")
    if source == destination:
        raise InvalidInput.of_field("to", f"{destination} is the source too; a path needs two hosts")
    shown = topology_of(document).ids(expand)
    pairs = list(product(sources, destinations))
    chosen = next((pair for pair in pairs if built.not_joined(*pair) is None), pairs[0])
    if (sentence := built.not_joined(*chosen)) is not None:
        return PathOut(hops=[], problem=f"{sentence}.", routing=document.routing)
    ends = built.fabric.endport(chosen[0].node, chosen[0].port), built.fabric.endport(chosen[1].node, chosen[1].port)
    try:
        route = built.fabric.route(*ends)
    except RuntimeError as error:
        return PathOut(hops=[], problem=f"{str(error).rstrip('.')}.", routing=document.routing)
    hops: list[Hop] = []
    entered: int | None = None
    for node, port in route:
        hops.append(_hop(built, node, entered, port, shown, seen))
        reached = built.fabric.peer(node, port)
        entered = None if reached is None else reached[1]
    last = built.fabric.endports[ends[1]]
    hops.append(_hop(built, last[0], last[1], None, shown, seen))
    return PathOut(hops=hops, problem=None, routing=document.routing)


def _endports(built: BuiltFabric, guid: str, field: str) -> list[Endport]:
    found = [one for one in built.hosts.endports if guid_text(built.document.guid_of(one.node)) == guid]
    if not found:
        raise InvalidInput.of_field(field, f"{guid} is the GUID of no host of this fabric; paths lead from host to host")
    if found[0].kind != "host":
        raise InvalidInput.of_field(field, f"{guid} is an {found[0].kind} node; paths lead from host to host")
    linked = [one for one in found if (one.node, one.port) in built.document.subnets]
    return sorted(linked or found, key=lambda one: one.port)


def _hop(built: BuiltFabric, node: int, entered: int | None, left: int | None, shown: Mapping[int, str], seen: Seen) -> Hop:
    one, guid = built.document.nodes[node], guid_text(built.document.guid_of(node))
    link = None if left is None else built.fabric.link(node, left)
    return Hop(
        guid=guid,
        name=one.name,
        kind=one.kind,
        lid=next(iter(one.lids), None),
        shown=shown.get(node),
        in_port=entered,
        out_port=left,
        rate=None if link is None else link[0],
        congestion=None if left is None else seen.ports.get((guid, left)),
    )


def link_rows(document: FabricDocument, text: str | None, seen: Seen, down: Collection[Key] | None = None) -> Iterable[LinkRow]:
    """Yields the cables, in the document's order, whose ends' names or GUIDs contain `text`. `down`: ends of links that are down,
    by GUID and port; None: it is unknown."""
    wanted = printable(text or "").lower()
    for link, a, b in document.ends():
        ends = link_end(document, a), link_end(document, b)
        if wanted and not any(wanted in end.name.lower() or wanted in end.guid for end in ends):
            continue
        loads = [seen.ports[end.guid, end.port] for end in ends if (end.guid, end.port) in seen.ports]
        yield LinkRow(
            a=ends[0],
            b=ends[1],
            up=None if down is None else (ends[0].guid, ends[0].port) not in down,
            rate=link.rate,
            rate_gbps=round(link_data_gbps(link.rate), 3),
            congestion=max(loads, default=None),
        )
