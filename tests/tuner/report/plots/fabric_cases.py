# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fabrics and results that the tests of drawings share."""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from typing import Any

from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents.fabric import FabricDocument
from tuner.fabric.built_fabric import build
from tuner.fabric.summary import FabricSummary
from tuner.fabric.topologies.base import topology
from tuner.report.plots.fabric_wiring import Wiring

DURATION_S = 0.001


def generated(kind: str, **parameters: Any) -> FabricDocument:
    return topology(kind, parameters).fabric()


def parsed(text: str) -> FabricDocument:
    return validate(FabricDocument, parse_document(f"ibcc_fabric: 1\nmtu_bytes: 4096\n{text}", source="fabric.yaml"))


def wiring(document: FabricDocument) -> Wiring:
    return Wiring(document, FabricSummary(build(document)).level_of)


def node(document: FabricDocument, name: str) -> int:
    """Its number."""
    return [one.name for one in document.nodes].index(name)


def result(document: FabricDocument, rows: Mapping[tuple[str, int], Mapping[str, Any]] | None = None) -> dict[str, Any]:
    """A measurement of 1 ms in which nothing happened, but for what `rows` says of (node, port)."""
    ports = []
    for _, *ends in document.ends():
        for end in ends:
            name = document.nodes[end.node].name
            row: dict[str, Any] = dict.fromkeys(
                ("xmit_bytes", "xmit_packets", "rcv_bytes", "rcv_packets", "xmit_wait_ns", "fecn_marked", "max_queued_bytes"), 0
            )
            row |= {"node": name, "guid": f"0x{document.guid_of(end.node):016x}", "port": end.port}
            ports.append(row | dict((rows or {}).get((name, end.port), {})))
    return {
        "schema": 1,
        "backend": "simulated",
        "fabric": document.name,
        "profile": "off",
        "duration_s": DURATION_S,
        "counters": {"ports": ports},
    }


class Picture:
    """What an SVG shows."""

    def __init__(self, svg: str) -> None:
        self._root = ElementTree.fromstring(svg)
        self.texts = [" ".join(text.split()) for text in self._root.itertext() if text.strip()]
        self.words = " ".join(self.texts)

    def group(self, gid: str) -> ElementTree.Element | None:
        return next((found for found in self._root.iter() if found.get("id") == f"fabric-{gid}"), None)

    def groups(self, prefix: str) -> set[str]:
        ids = [found.get("id", "").removeprefix("fabric-") for found in self._root.iter()]
        return {gid for gid in ids if gid.startswith(prefix)}

    def count(self, gid: str) -> int:
        """How many lines or boxes the paths of that look consist of."""
        paths = [path.get("d", "") for found in self._root.iter() if found.get("id") == f"fabric-{gid}" for path in _paths(found)]
        return sum(path.count("M") for path in paths)

    def points(self, gid: str) -> list[tuple[float, float]]:
        """Returns the points of the group's first path, in the SVG's units: x to the right and y down."""
        group = self.group(gid)
        assert group is not None
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", _paths(group)[0].get("d", ""))]
        return list(zip(numbers[::2], numbers[1::2], strict=True))

    def colour(self, gid: str) -> str:
        """Returns the color of the group's lines."""
        group = self.group(gid)
        assert group is not None
        found = re.search(r"stroke: (#[0-9a-f]{6})", _paths(group)[0].get("style", ""))
        assert found is not None
        return found[1]

    def marks(self, gid: str) -> int:
        """How many markers of that look there are, drawn each for itself or by reference."""
        group = self.group(gid)
        if group is None:
            return 0
        shapes = {shape for found in group.iter() if found.tag.endswith("defs") for shape in _paths(found)}
        return sum(child.tag.endswith("use") for child in group.iter()) + sum(path not in shapes for path in _paths(group))

    @property
    def pictures(self) -> int:
        return sum(child.tag.endswith("image") for child in self._root.iter())


def _paths(group: ElementTree.Element) -> list[ElementTree.Element]:
    return [child for child in group.iter() if child.tag.endswith("path")]
