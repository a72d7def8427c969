# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a form that edits a profile needs to know of each parameter: range and default from ccpolicy's schema, the meaning from
where `ibcc profile show` has it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ccsim.policy import schema
from tuner.documents.profile_meanings import MEANINGS

_SECTIONS = ("enable", "link", "switch", "ca", "cct")
_UNITS = {"_us": "µs", "_gbps": "Gb/s", "_bytes": "bytes", "_packet_times": "packet times"}
_LABELS = {"ca": "CA", "cct": "CCT", "ccti": "CCTI", "sls": "SLs", "sl": "SL", "cs": "CS", "mtu": "MTU", "ibcc": "ibcc"}
_RAW_UNITS = {
    "switch.packet_size": "64 bytes",
    "ca.ccti_timer": "1.024 µs",
    "switch.marking_rate": "packets",
    "cct.curve.first": "packet times",
    "cct.curve.last": "packet times",
}


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One key of a profile."""

    path: str
    label: str
    help: str
    unit: str | None
    minimum: float | None
    maximum: float | None
    exclusive_minimum: bool
    default: Any
    kind: str
    """`integer`, `number`, `boolean`, `choice`, or `other`: a list or a mapping."""
    choices: tuple[Any, ...]
    required: bool


@lru_cache(maxsize=1)
def parameters() -> tuple[Parameter, ...]:
    """In the order of the document."""
    whole = schema()
    found: list[Parameter] = []
    for section in _SECTIONS:
        found += _of(whole, section, whole["properties"][section], required=False)
    return tuple(found)


def _of(whole: Mapping[str, Any], path: str, one: Mapping[str, Any], *, required: bool) -> Iterator[Parameter]:
    resolved = _resolved(whole, one)
    properties = {key: value for key, value in _properties(resolved).items() if isinstance(value, Mapping)}
    if properties and path not in MEANINGS:
        needed = {*resolved.get("required", ()), *one.get("required", ())}
        for key, inner in properties.items():
            yield from _of(whole, f"{path}.{key}", inner, required=key in needed)
        return
    choices = tuple(resolved.get("enum", ())) or tuple(_alternatives(whole, resolved))
    yield Parameter(
        path=path,
        label=_label(path.rpartition(".")[2]),
        help=MEANINGS.get(path, one.get("description", "")),
        unit=_RAW_UNITS.get(path) or next((unit for suffix, unit in _UNITS.items() if path.endswith(suffix)), None),
        minimum=resolved.get("minimum", resolved.get("exclusiveMinimum")),
        maximum=resolved.get("maximum"),
        exclusive_minimum="exclusiveMinimum" in resolved,
        default=one.get("default", resolved.get("default")),
        kind="choice" if choices else resolved["type"] if resolved.get("type") in ("integer", "number", "boolean") else "other",
        choices=choices,
        required=required,
    )


def _resolved(whole: Mapping[str, Any], one: Mapping[str, Any]) -> dict[str, Any]:
    """With what a `$ref` leads to."""
    reference = one.get("$ref")
    if reference is None:
        return dict(one)
    return {**whole["$defs"][reference.rpartition("/")[2]], **{key: value for key, value in one.items() if key != "$ref"}}


def _properties(one: Mapping[str, Any]) -> dict[str, Any]:
    """Those of either branch too: a curve's kind decides which it has."""
    found = dict(one.get("properties", {}))
    for branch in ("then", "else"):
        for key, value in one.get(branch, {}).get("properties", {}).items() if isinstance(one.get(branch), Mapping) else ():
            if isinstance(value, Mapping):
                found.setdefault(key, value)
    return found


def _alternatives(whole: Mapping[str, Any], one: Mapping[str, Any]) -> Iterator[Any]:
    """The names that may stand instead of a list."""
    for way in one.get("anyOf", ()):
        way = _resolved(whole, way)
        yield from way.get("enum", ())
        if "const" in way:
            yield way["const"]


def _label(key: str) -> str:
    for suffix in _UNITS:
        key = key.removesuffix(suffix)
    words = [_LABELS.get(word, word) for word in key.split("_")]
    return " ".join([words[0] if words[0] != words[0].lower() else words[0].capitalize(), *words[1:]])
