# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Ports as `ibnetdiscover` of infiniband-diags finds them, for fabrics whose subnet manager has no plugin. What they are able to
do comes from their PortInfo, which the reader asks for within its rate; ibnetdiscover's own MADs are not within it."""

from collections.abc import Mapping
from typing import TypeAlias

from tuner.checks.links import ports as seen
from tuner.documents.check_kinds import Links
from tuner.documents.fabric import FabricDocument, Switch
from tuner.fabric.importers.base import read_fabric
from tuner.mads.client import MadReader
from tuner.mads.port_info import Best, PortInfo, ask_port_info, port_info
from tuner.opensm.ibnetdiscover import discovered_text

_End: TypeAlias = tuple[int, int]
"""A node by its place in the document, and a port."""


def discovered_ports(reader: MadReader, options: Links, environment: Mapping[str, str]) -> list[seen.Port]:
    """Returns the ports of all links that are up. Raises UnreachableError, and BadInputError for a text that is no fabric."""
    text = discovered_text(options.device, options.device_port, environment)
    fabric = read_fabric(text, source="ibnetdiscover", name="discovered", mtu_bytes=4096).fabric
    peers: dict[_End, _End] = {}
    for _, a, b in fabric.ends():
        peers[a.node, a.port], peers[b.node, b.port] = (b.node, b.port), (a.node, a.port)
    lids = {end: _lid(fabric, *end) for end in peers}
    known = [(end, lid) for end, lid in lids.items() if lid is not None]
    replies = reader.read([ask_port_info(lid, port) for (_, port), lid in known])
    infos = {end: port_info(one.reply.data) for (end, _), one in zip(known, replies, strict=True) if one.reply.is_good}
    return [_port(fabric, end, peer, lids[end], infos.get(end)) for end, peer in peers.items()]


def _port(fabric: FabricDocument, end: _End, peer: _End, lid: int | None, info: PortInfo | None) -> seen.Port:
    node = fabric.nodes[end[0]]
    nothing = Best(None, None)
    active, enabled, supported = (nothing,) * 3 if info is None else (info.active, info.enabled, info.supported)
    return seen.Port(
        guid=_guid(fabric, end[0]),
        number=end[1],
        is_switch=isinstance(node, Switch),
        description=node.name,
        lid=lid,
        peer=(_guid(fabric, peer[0]), peer[1]),
        # ibnetdiscover prints links that are up; a port that does not answer is asked for its counters, and is a finding then.
        state="active" if info is None else info.state,
        physical=None if info is None else info.physical,
        active=_ability(active),
        enabled=_ability(enabled),
        supported=_ability(supported),
    )


def _lid(fabric: FabricDocument, node: int, port: int) -> int | None:
    found = fabric.nodes[node]
    if isinstance(found, Switch) or not found.endports:
        return found.lid
    return next((endport.lid for endport in found.endports if endport.port == port), None)


def _guid(fabric: FabricDocument, node: int) -> str:
    return f"0x{fabric.guid_of(node):016x}"


def _ability(best: Best) -> seen.Ability:
    return seen.Ability(width=best.width, speed=best.speed)
