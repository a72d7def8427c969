# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Writes fabric documents: one node or link a line, the same text for the same fabric."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from tuner.document_base.model import DocumentModel
from tuner.document_base.yaml_core import plain_scalar
from tuner.documents.fabric import FabricDocument
from tuner.documents.host_model import HostModel

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./-]*")
# Quoted for the sake of other programs, which may read by the rules of YAML 1.1.
_YAML_1_1_BOOLEANS = {"y", "n", "yes", "no", "on", "off"}
# Characters that JSON leaves as they are in a string, but YAML refuses.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_DIGITS = {"guid": 16, "port_guid": 16, "vendor_id": 6, "device_id": 4, "capability_mask": 1}
"""Hexadecimal digits of numbers that are written so, by key."""


def fabric_text(fabric: FabricDocument, comment: Sequence[str] = ()) -> str:
    """YAML that reads back as the same document, under a comment of the given lines."""
    return "\n".join([*(_escaped(f"# {line}".rstrip()) for line in comment), *_lines(fabric)]) + "\n"


def _lines(fabric: FabricDocument) -> Iterator[str]:
    yield f"ibcc_fabric: {fabric.ibcc_fabric}"
    yield f"name: {_scalar(fabric.name)}"
    yield f"mtu_bytes: {fabric.mtu_bytes}"
    if fabric.incomplete is not None:
        yield f"incomplete: {_scalar(fabric.incomplete)}"
    if fabric.routing != "minhop":
        yield f"routing: {fabric.routing}"
    if fabric.roots:
        yield f"roots: {_flow(fabric.roots)}"
    for key, part in (("sl_to_vl", fabric.sl_to_vl), ("vl_arbitration", fabric.vl_arbitration)):
        if part is not None:
            yield f"{key}: {_flow(part.model_dump(exclude_defaults=True))}"
    if fabric.model:
        yield f"model: {_flow(fabric.model)}"
    if fabric.host_models:
        yield "host_models:"
        yield from (f"  {_scalar(name)}: {_flow(_given(model))}" for name, model in fabric.host_models.items())
    sections: list[tuple[str, Sequence[DocumentModel]]] = [
        ("hardware", fabric.hardware),
        ("congestion_control", fabric.congestion_control),
        ("switches", fabric.switches),
        ("hosts", fabric.hosts),
        ("links", fabric.links),
    ]
    for section, items in sections:
        if items:
            yield f"{section}:"
            yield from (f"- {_flow(item.model_dump(exclude_defaults=True))}" for item in items)
    if fabric.lfts:
        yield "lfts:"
        yield from (f"  {_scalar(switch)}: {_flow(table)}" for switch, table in fabric.lfts.items())
    if fabric.forwarding:
        yield "forwarding:"
        yield from (f"  {_scalar(switch)}: {_flow(entries)}" for switch, entries in fabric.forwarding.items())


def _given(model: HostModel) -> dict[str, Any]:
    given = model.model_dump(exclude_defaults=True)
    return given if model.hostcc is None else given | {"hostcc": model.hostcc.model_dump(exclude_defaults=True)}


def _flow(value: Any, key: str = "") -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(k)}: {_flow(v, k)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    return f"0x{value:0{_DIGITS[key]}x}" if key in _DIGITS else _scalar(value)


def _scalar(value: str | float | bool | None) -> str:
    """A scalar that the YAML 1.2 core rules read as the same value; text is quoted where it would be read as something else."""
    if not isinstance(value, str):
        return json.dumps(value)
    if _PLAIN.fullmatch(value) and plain_scalar(value) == value and value.lower() not in _YAML_1_1_BOOLEANS:
        return value
    return _escaped(json.dumps(value, ensure_ascii=False))


def _escaped(text: str) -> str:
    """Without characters that YAML refuses even in comments; node descriptions may hold any."""
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
