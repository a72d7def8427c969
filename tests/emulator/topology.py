# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric as a graph: what must be the same in the document that went in and in what tools print."""

from collections.abc import Mapping
from dataclasses import dataclass

from tuner.documents.fabric import FabricDocument
from tuner.fabric.importers.base import read_fabric

Port = tuple[int, int]
"""Node GUID and port number."""


@dataclass(frozen=True)
class Graph:
    nodes: Mapping[int, tuple[str, str]]
    """(kind, description) by node GUID."""
    links: Mapping[frozenset[Port], str]
    """Rate by the two ends."""


def graph(fabric: FabricDocument) -> Graph:
    nodes = {fabric.guid_of(i): (node.kind, node.name) for i, node in enumerate(fabric.nodes)}
    links = {frozenset((fabric.guid_of(end.node), end.port) for end in (a, b)): link.rate for link, a, b in fabric.ends()}
    return Graph(nodes, links)


def discovered(ibnetdiscover: str) -> FabricDocument:
    """The fabric that ibnetdiscover has printed."""
    return read_fabric(ibnetdiscover, source="ibnetdiscover", name="discovered", mtu_bytes=4096).fabric
