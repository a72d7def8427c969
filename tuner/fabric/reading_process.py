# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The process that reads an import: `python -m tuner.fabric.reading_process FOLDER`; `tuner.fabric.reading` starts it.

The folder has `order.json`, `topology`, and perhaps `routes` and `before.yaml`. The process leaves `document.yaml` and
`preview.json` there, or prints a problem. Each line of its output is a JSON object: `{"step": …, "fraction": …}`, or
`{"problem": …}`.
"""

import json
import resource
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.errors import BadInputError, IbccError
from tuner.fabric.built_fabric import build
from tuner.fabric.importers.base import Imported, named_by, read_fabric, routed_by
from tuner.fabric.importers.fabric_document import LIMIT_BYTES, FabricDocumentText
from tuner.fabric.importers.progress import watched_by
from tuner.fabric.importers.unpacked import unpacked_text
from tuner.fabric.preview import preview
from tuner.fabric.rerouting import rerouted, rerouted_as_advised
from tuner.fabric.routing_advice import Advice, advise
from tuner.fabric.subnets import of_subnet, subnets

_APART = 0.01
"""Least progress between two lines of output."""


def main(folder: Path) -> None:
    """Reads the order in `folder`, under its limits, and carries it out. A lack of memory is seen by who started the process."""
    order = json.loads((folder / "order.json").read_text())
    memory = order["memory_bytes"]
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        _read(folder, order)
    except IbccError as error:
        _tell(problem=str(error))


def _read(folder: Path, order: dict[str, Any]) -> None:
    source, limit = order["source"], order["unpacked_limit_bytes"]
    with _step("unpacking"):
        text = unpacked_text(folder / "topology", source=source, limit_bytes=limit)
    with _step("reading"):
        imported = read_fabric(text, source=source, name=order["name"], mtu_bytes=order["mtu_bytes"], strict=order["strict"])
    del text
    if (folder / "names").exists():
        names = unpacked_text(folder / "names", source=order["names_source"], limit_bytes=limit)
        imported = named_by(imported, names, source=order["names_source"], strict=order["strict"])
    if order["congestion_control"] is not None:
        imported = imported.with_congestion_control(order["congestion_control"])
    found_subnets = subnets(imported.fabric)
    if order["subnet"] is not None:
        imported = replace(imported, fabric=of_subnet(imported.fabric, order["subnet"]))
    if (folder / "routes").exists():
        imported = _routed(folder / "routes", imported, order["routes_source"], limit)
    with _step("comparing routings"):
        fabric, advice = _advised(imported, order["routing"])
        imported = replace(imported, fabric=fabric)
    imported = replace(imported, notes=(*_assumed(imported, advice), *imported.notes))
    with _step("routing"):
        built = build(imported.fabric)
    with _step("looking for what is wrong"):
        before = folder / "before.yaml"
        old = _document(before.read_text()) if before.exists() else None
        found = preview(imported, built, advice, old) | {
            "subnets": [one.to_json() for one in found_subnets],
            "subnet": order["subnet"],
        }
    comment = [
        f"Imported from {source} ({imported.format}).",
        *found["notes"],
        *(remark["text"] for remark in found["remarks"]),
    ]
    document = fabric_text(imported.fabric, comment)
    if len(document.encode()) > LIMIT_BYTES:
        raise BadInputError(f"makes a fabric document of {len(document.encode()):,} bytes; at most {LIMIT_BYTES:,} are stored")
    (folder / "document.yaml").write_text(document, encoding="utf-8")
    (folder / "preview.json").write_text(json.dumps(found), encoding="utf-8")


def _advised(imported: Imported, routing: str | None) -> tuple[FabricDocument, Advice]:
    """The fabric by the routing that was asked for, or else its own if it is a document or has tables, or the one that suits its
    shape; and the advice on that fabric. Raises BadInputError."""
    fabric = imported.fabric
    if routing is None and imported.format != FabricDocumentText.name:
        return rerouted_as_advised(fabric)
    if routing is not None and routing != fabric.routing:
        fabric = rerouted(fabric, routing)
    return fabric, advise(fabric)


def _assumed(imported: Imported, advice: Advice) -> Iterator[str]:
    """Returns in words what is taken for granted of formats that do not hold it."""
    fabric = imported.fabric
    if imported.format != FabricDocumentText.name:
        yield f"{imported.format} does not hold the MTU; {fabric.mtu_bytes} bytes are assumed"
        if not fabric.lfts:
            why = f", which suits its shape ({advice.shape.text})" if fabric.routing == advice.chosen else ""
            yield f"{imported.format} does not hold routes; the simulator's {fabric.routing} is assumed{why}"


def _routed(path: Path, imported: Imported, source: str, limit_bytes: int) -> Imported:
    with _step("unpacking the forwarding tables"):
        tables = unpacked_text(path, source=source, limit_bytes=limit_bytes)
    with _step("reading the forwarding tables"):
        return routed_by(imported, tables, source=source)


def _document(text: str) -> FabricDocument:
    return validate(FabricDocument, parse_document(text, source="the fabric so far"))


@contextmanager
def _step(name: str) -> Iterator[None]:
    """A step of the work, whose progress is told."""
    _tell(step=name, fraction=0.0)
    with watched_by(_now_and_then(name)):
        yield


def _now_and_then(name: str) -> Callable[[float], None]:
    told = 0.0

    def on_fraction(fraction: float) -> None:
        nonlocal told
        if fraction >= told + _APART:
            told = fraction
            _tell(step=name, fraction=round(min(fraction, 1.0), 3))

    return on_fraction


def _tell(**what: Any) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
