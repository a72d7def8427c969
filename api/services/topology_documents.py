# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric's picture, as JSON, and what of it has changed."""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from api.base.problems import Conflict
from api.database.models.fabric import Fabric
from api.documents.topology import FoundNode, FoundNodes, Measured, TopologyChanges, TopologyOut
from api.fabric_drivers.base import FabricPicture, guid_text
from api.fabric_drivers.topology import topology_of
from api.services.congestion_documents import seen_congestion
from api.services.topology_marks import NOTHING_WATCHED, Watched, marked
from tuner.documents.fabric import FabricDocument
from tuner.documents.printable import printable

_MOST_FOUND = 20
_RECENT = 64
"""Pictures that are remembered for differences, of at most 600 nodes each."""


def require_wiring(driver: FabricPicture, fabric: str) -> FabricDocument:
    """Raises Conflict where the service does not know the wiring."""
    document = driver.document()
    if document is None:
        raise Conflict(
            f"The wiring of fabric '{fabric}' is unknown to the service; give it as options.document (ibcc fabric import)."
        )
    return document


def topology_document(
    driver: FabricPicture,
    fabric: Fabric,
    expand: Sequence[str],
    cc: Measured | None,
    watched: Watched = NOTHING_WATCHED,
) -> TopologyOut:
    """`watched`: what the fabric's watcher knows now. Raises BadInputError for an id in `expand` that is none, and Conflict
    without wiring."""
    document = require_wiring(driver, fabric.name)
    seen, found = seen_congestion(driver, fabric, cc), marked(document, driver.devices(), watched.marks)
    view = topology_of(document).view(expand, seen.by_node(document), found.by_node(document), watched.down_in(document))
    picture = TopologyOut.model_validate(
        view | {"version": "", "congestion": seen.source, "unplaced": found.unplaced, "unplaced_count": found.unplaced_count},
    )
    # The time of an answer is no difference between two pictures.
    source = seen.source.model_copy(update={"at": None}) if seen.source.source == "logs" else seen.source
    shown = picture.model_copy(update={"congestion": source}).model_dump_json()
    picture.version = hashlib.sha256(shown.encode()).hexdigest()[:20]
    _recent.keep(picture)
    return picture


def topology_changes(now: TopologyOut, since: str) -> TopologyChanges:
    """Returns what differs from the picture of version `since`; the whole picture if that is forgotten or had other nodes."""
    then = _recent.get(since)
    nodes = [node for level in now.levels for node in level.nodes]
    changes = TopologyChanges(
        version=now.version,
        whole=None,
        nodes=[],
        links=[],
        unplaced=now.unplaced,
        unplaced_count=now.unplaced_count,
        congestion=now.congestion,
    )
    if then is not None and then.version == now.version:
        return changes
    if then is None or _wiring(then) != _wiring(now):
        return changes.model_copy(update={"whole": now})
    former = {node.id: node for level in then.levels for node in level.nodes}
    links = zip(now.links, then.links, strict=True)
    return changes.model_copy(
        update={
            "nodes": [node for node in nodes if node != former[node.id]],
            "links": [link for link, before in links if link != before],
        }
    )


def _wiring(picture: TopologyOut) -> object:
    nodes = [(node.id, node.x, node.y, node.name) for level in picture.levels for node in level.nodes]
    return nodes, [(link.a, link.b, link.count, link.rate_gbps) for link in picture.links]


class _Recent:
    """The latest pictures by version, for all threads of a server; another server's are unknown here, and sent whole."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[str, TopologyOut] = OrderedDict()

    def keep(self, picture: TopologyOut) -> None:
        with self._lock:
            self._kept[picture.version] = picture
            self._kept.move_to_end(picture.version)
            while len(self._kept) > _RECENT:
                self._kept.popitem(last=False)

    def get(self, version: str) -> TopologyOut | None:
        with self._lock:
            return self._kept.get(version)


_recent = _Recent()


def found_nodes(document: FabricDocument, text: str) -> FoundNodes:
    """Nodes that are drawn, by part of their names or GUIDs, or by LID. The exact ones come first, then those that begin so."""
    wanted = printable(text).strip().lower()
    topology = topology_of(document)
    drawn = topology.ids()
    ranked = []
    for node, described in enumerate(document.nodes):
        if node not in drawn:
            continue
        name, guid = printable(described.name).lower(), guid_text(document.guid_of(node))
        texts = [name, guid, *map(str, described.lids)]
        if wanted in texts:
            rank = 0
        elif texts[0].startswith(wanted):
            rank = 1
        elif wanted in texts[0] or (len(wanted) >= 4 and wanted in texts[1]):
            rank = 2
        else:
            continue
        ranked.append((rank, node))
    ranked.sort()
    return FoundNodes(
        items=[
            FoundNode(
                guid=guid_text(document.guid_of(node)),
                name=document.nodes[node].name,
                kind=document.nodes[node].kind,
                lid=next(iter(document.nodes[node].lids), None),
                expand=topology.opening(node),
            )
            for _, node in ranked[:_MOST_FOUND]
        ],
        count=len(ranked),
    )
