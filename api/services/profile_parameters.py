# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Ranges, defaults, units and meanings of a profile's keys, for a form that edits one. All of it follows from ccpolicy's rows."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ccsim.policy import Key, profile_keys

_UNIT_SUFFIXES = ("_us", "_gbps", "_bytes", "_packet_times")
_LABELS = {"ca": "CA", "cct": "CCT", "ccti": "CCTI", "sls": "SLs", "sl": "SL", "cs": "CS", "mtu": "MTU", "ibcc": "ibcc"}


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
    """In the order of the document, without what a form has no place for: elements of lists, and a value's second unit."""
    return tuple(_parameter(key) for key in profile_keys().values() if "[]" not in key.path and key.alias_of is None)


def _parameter(key: Key) -> Parameter:
    return Parameter(
        path=key.path,
        label=_label(key.path.rpartition(".")[2]),
        help=key.meaning,
        unit=key.unit,
        minimum=key.minimum,
        maximum=key.maximum,
        exclusive_minimum=key.exclusive_minimum,
        default=key.default,
        kind="choice" if key.choices else key.type if key.type in ("integer", "number", "boolean") else "other",
        choices=key.choices,
        required=key.required,
    )


def _label(key: str) -> str:
    for suffix in _UNIT_SUFFIXES:
        key = key.removesuffix(suffix)
    words = [_LABELS.get(word, word) for word in key.split("_")]
    return " ".join([words[0] if words[0] != words[0].lower() else words[0].capitalize(), *words[1:]])
