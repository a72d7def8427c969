# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Finds a credit loop in the forwarding tables of a fabric, by the simulator's search."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

import ccsim
from tuner.documents.fabric import NodeKind
from tuner.documents.lft import NO_ROUTE
from tuner.fabric.forwarding import NOTHING, Forwarding

_ANY_RATE = "4xQDR"
"""Routes do not depend on rates."""
_DROPPED = 15
"""Packets that a table maps to this VL are dropped."""


@dataclass(frozen=True)
class Channel:
    """Packets that leave a switch by a port on a VL."""

    switch: int
    port: int
    vl: int


def credit_loop(forwarding: Forwarding) -> tuple[Channel, ...]:
    """Returns a cycle of channels each of which can wait for the next, and the last for the first; empty if there is none.

    All routes between hosts count, on every SL that is treated in a way of its own. So `sl_by_path` must be False: where the
    routing engine chooses the SL of each path, its tables alone do not tell.
    """
    fabric = ccsim.Fabric()
    for switch in forwarding.switches:
        fabric.add_node(switch.name, "switch", guid=switch.guid, num_ports=switch.ports)
    endports = _connect(fabric, forwarding)
    _set_entries(fabric, forwarding, endports)
    _set_vls(fabric, forwarding)
    return tuple(Channel(*channel) for channel in fabric.credit_loop() or ())


def _connect(fabric: ccsim.Fabric, forwarding: Forwarding) -> dict[int, int]:
    """Adds a node for each destination, as its adapter may have several ports; returns their endports."""
    endports = {}
    for s, switch in enumerate(forwarding.switches):
        for port in range(1, switch.ports + 1):
            t, d = int(forwarding.peer[s, port]), int(forwarding.attached[s, port])
            other_port = int(forwarding.peer_port[s, port])
            if t != NOTHING and (s, port) < (t, other_port):
                fabric.connect(s, port, t, other_port, rate=_ANY_RATE)
            if d != NOTHING:
                one = forwarding.destinations[d]
                kind: NodeKind = "host" if one.is_host else "aggregation"
                node = fabric.add_node(one.name, kind, guid=_own_guid(len(forwarding.switches) + d), num_ports=1)
                fabric.connect(s, port, node, 1, rate=_ANY_RATE)
                endports[d] = fabric.endport(node, 1)
    fabric.route_by("tables", roots=[])
    return endports


def _own_guid(number: int) -> int:
    """A GUID that no vendor has given away, as tables' destinations are ports and not nodes."""
    return number + 1 << 8


def _set_entries(fabric: ccsim.Fabric, forwarding: Forwarding, endports: Mapping[int, int]) -> None:
    """Entries that lead to a link: the simulator refuses others, and no route goes on there."""
    attached = np.flatnonzero(forwarding.at_switch != NOTHING)
    endport = [endports[d] for d in attached.tolist()]
    for s, out in enumerate(forwarding.out):
        linked = (forwarding.peer[s] != NOTHING) | (forwarding.attached[s] != NOTHING)
        ports = out[attached]
        good = (ports != NO_ROUTE) & linked[np.where(ports == NO_ROUTE, 0, ports)]
        for e, port, is_good in zip(endport, ports.tolist(), good.tolist(), strict=True):
            if is_good:
                fabric.set_forward(s, e, port)


def _set_vls(fabric: ccsim.Fabric, forwarding: Forwarding) -> None:
    """Without tables, and with one table for all, each SL stays on one VL, and all are alike."""
    if len({switch.sl2vl for switch in forwarding.switches}) == 1 and len(forwarding.switches[0].sl2vl or b"") <= 8:
        return
    for s, switch in enumerate(forwarding.switches):
        for egress in range(1, switch.ports + 1):
            for ingress in range(1, switch.ports + 1):
                fabric.set_sl_to_vl(s, ingress, egress, vls(switch.sl2vl, switch.ports, ingress, egress))


def vls(sl2vl: bytes | None, ports: int, ingress: int, egress: int) -> list[int]:
    """VL by SL of a pair of ports; VL 0 where a table is not known, or drops the packets."""
    if sl2vl is None:
        return [0] * 16
    at = 0 if len(sl2vl) == 8 else ((egress - 1) * (ports + 1) + ingress) * 8
    nibbles = [vl for byte in sl2vl[at : at + 8] for vl in (byte >> 4, byte & 15)]
    return [0 if vl == _DROPPED else vl for vl in nibbles]
