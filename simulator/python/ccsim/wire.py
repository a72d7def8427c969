# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Attributes of InfiniBand's congestion-control class (0x21) as bytes: those of annex A10, and NVIDIA's.

The rows are those of ccpolicy, which the OpenSM plugin and the emulator pack and unpack by. Numbers are big-endian; offsets are
in bits from the attribute's start, the most significant bit first.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ccsim import _ccsim

__all__ = ["Attribute", "Field", "attributes", "pack", "unpack"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of an attribute, or one of each of its elements."""

    name: str
    """In the spelling of the specification, or of NVIDIA's tools."""
    offset: int
    """Bits from the attribute's start; of the first element, if there are several."""
    width: int
    """Bits."""
    count: int
    """Number of elements."""
    stride: int
    """Bits from one element to the next."""
    read_only: bool
    """A Set does not change it, and carries 0 there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """One attribute, or one of its forms."""

    id: int
    """Number in the MAD's header in the low 16 bits; forms of one attribute differ above them."""
    name: str
    mad_offset: int
    """Bytes from the MAD's start to the payload."""
    bytes: int
    """Size of the payload."""
    fields: tuple[Field, ...]


@lru_cache(maxsize=1)
def attributes() -> dict[str, Attribute]:
    """The attributes by name."""
    rows = _ccsim.wire_attributes()
    return {row["name"]: Attribute(**{**row, "fields": tuple(Field(**field) for field in row["fields"])}) for row in rows}


def pack(name: str, values: Mapping[str, Any], *, for_set: bool = False) -> bytes:
    """The payload of an attribute, reserved bits 0.

    `values` has a number for each field, a list for a field of several elements, and bytes for one that is wider than 64 bits;
    fields that it lacks are 0. With `for_set`, fields that are read-only are 0. Raises ValueError with a sentence if an attribute
    or field is not known, or if a value does not fit.
    """
    return _ccsim.pack_attribute(_find(name).id, dict(values), for_set)


def unpack(name: str, payload: bytes) -> dict[str, Any]:
    """The values of a payload by field, as `pack` takes them. Raises ValueError with a sentence if its size is wrong."""
    return _ccsim.unpack_attribute(_find(name).id, payload)


def _find(name: str) -> Attribute:
    known = attributes()
    if name not in known:
        raise ValueError(f"{name!r} is not an attribute of the congestion-control class; {', '.join(known)} are")
    return known[name]
