# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Node name maps, as OpenSM and infiniband-diags read them: a GUID and a name a line, which replaces the node's description.

# spines
0x0002c90200000001 "rack 3 spine 1"
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import TypeVar

from tuner.document_base.model import build_model
from tuner.documents.fabric import End, FabricDocument
from tuner.errors import BadInputError
from tuner.fabric.importers.remarks import Odd, Remark, Remarks
from tuner.fabric.importers.topology import numbered_lines

_ROW = re.compile(
    r'(?:0x)?(?P<guid>[0-9a-fA-F]{1,16})[ \t]+(?:"(?P<quoted>[^"]{1,64})"?|(?P<plain>[^"# \t][^"#]{0,63}))[ \t]*(?:#.*)?'
)

T = TypeVar("T")


def read_name_map(text: str, *, source: str, strict: bool = False) -> tuple[dict[int, str], tuple[Remark, ...]]:
    """The names by node GUID, and what was odd. Of several names for one GUID the last holds. Raises BadInputError for a text
    without any name, and, if `strict`, for the first odd line."""
    remarks = Remarks(source, strict)
    names: dict[int, str] = {}
    for line, raw in numbered_lines(text, source, remarks):
        content = raw.strip()
        if not content or content.startswith("#"):
            continue
        match = _ROW.fullmatch(content)
        if match is None:
            example = '0x0002c90200000001 "rack 3 spine 1"'
            remarks.add(Odd.LINE, f"is not a line of a node name map, which looks like: {example}", line)
        else:
            names[int(match["guid"], 16)] = (match["quoted"] or match["plain"]).strip() or match["guid"]
    if not names:
        raise BadInputError('is no node name map; its lines look like: 0x0002c90200000001 "rack 3 spine 1"', source=source)
    return names, remarks.all()


def with_names(document: FabricDocument, names: Mapping[int, str]) -> tuple[FabricDocument, list[str]]:
    """Returns the document with these descriptions, by node GUID, and sentences about it. All references follow."""
    found = {i: names[guid] for i in range(len(document.nodes)) if (guid := document.guid_of(i)) in names}
    if not found:
        return document, [f"the node name map names no node of this fabric; its GUIDs are of others: {len(names)}"]
    new = [found.get(i, node.name) for i, node in enumerate(document.nodes)]
    renamed = _Renamed(document, new)
    n_switches = len(document.switches)
    nodes = [node.model_copy(update={"name": name}) for node, name in zip(document.nodes, new, strict=True)]
    values = {key: getattr(document, key) for key in FabricDocument.model_fields} | {
        "switches": tuple(nodes[:n_switches]),
        "hosts": tuple(nodes[n_switches:]),
        "links": tuple(link.model_copy(update={"a": renamed.end(a), "b": renamed.end(b)}) for link, a, b in document.ends()),
        "roots": tuple(map(renamed.reference, document.roots)),
        "lfts": renamed.keys(document.lfts),
        "forwarding": {switch: renamed.keys(routes) for switch, routes in renamed.keys(document.forwarding).items()},
    }
    for section in ("hardware", "congestion_control"):
        rows = getattr(document, section)
        values[section] = tuple(row.model_copy(update={"nodes": tuple(map(renamed.reference, row.nodes))}) for row in rows)
    others = len(names) - len(found)
    notes = [f"nodes that the node name map names: {len(found)}" + (f"; its other GUIDs: {others}" if others else "")]
    return build_model(FabricDocument, values), notes


class _Renamed:
    """References to nodes, by their new names."""

    def __init__(self, document: FabricDocument, names: list[str]) -> None:
        self._document, self._names = document, names
        self._count = Counter(names)
        old = Counter(node.name for node in document.nodes)
        self._by_reference = {f"guid:0x{document.guid_of(i):016x}": i for i in range(len(names))}
        self._by_reference |= {node.name: i for i, node in enumerate(document.nodes) if old[node.name] == 1}

    def node(self, node: int) -> str:
        name = self._names[node]
        plain = self._count[name] == 1 and not name.startswith("guid:")
        return name if plain else f"guid:0x{self._document.guid_of(node):016x}"

    def end(self, end: End) -> str:
        return f"{self.node(end.node)}/{end.port}"

    def reference(self, text: str) -> str:
        """A reference of the document; one by LID or by a port's GUID stays as it is."""
        node = self._by_reference.get(text)
        return text if node is None else self.node(node)

    def keys(self, by_node: Mapping[str, T]) -> dict[str, T]:
        return {self.reference(key): value for key, value in by_node.items()}
