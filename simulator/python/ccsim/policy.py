# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Profiles: complete, named sets of congestion control values, and the tables that follow from them on a fabric.

A `Profile` is read from a document, can be changed by `with_settings`, compared by `diff`, and resolved against a `Fabric` into
the `Tables` of its devices. `profile_keys` lists the keys of a document with their ranges, units and meanings. ccpolicy, the C
library that the OpenSM plugin and the emulator are linked with, does the reading, writing, encoding and resolving, so all of
them agree.
"""

import copy
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, Literal, Self

from ccsim import _ccsim
from ccsim._ccsim import PACKET_OVERHEAD_BYTES, TIMER_UNIT_NS, Fabric, ProfileDocument, Tables

__all__ = [
    "PACKET_OVERHEAD_BYTES",
    "TIMER_UNIT_NS",
    "EncodedEntry",
    "Encoding",
    "Key",
    "Profile",
    "ProfileError",
    "Tables",
    "profile_keys",
    "schema",
]

# Pairs of keys that exclude each other: setting one removes the other. Aliases come with the rows.
_EXCLUSIVE = (("entries", "curve"), ("full_scale_us", "full_scale_packet_times"))

# Characters that YAML accepts only as JSON escapes.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


class ProfileError(ValueError):
    """A document is not a valid profile, or a profile cannot be used as asked.

    `str()` is `source:line:column: sentence`, as far as these are known; `sentence` is the sentence alone.
    """

    def __init__(self, sentence: str, *, source: str | None = None, line: int | None = None, column: int | None = None) -> None:
        self.sentence, self.source, self.line, self.column = sentence, source, line, column
        place = ":".join(str(part) for part in (source, line, column) if part is not None)
        super().__init__(f"{place}: {sentence}" if place else sentence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key of a profile, as its row in ccpolicy/src/keys.c describes it."""

    path: str
    """In the document, such as `switch.threshold`; `[]` stands for the elements of a list."""
    type: Literal[
        "boolean", "integer", "number", "choice", "mask", "sls", "vls", "entry", "entries", "sl_profiles", "name", "parameters"
    ]
    """`choice`: one of `choices`; `mask`, `sls` and `vls`: one of them or a list of ports, SLs or VLs; `sl_profiles`: a number or
    a list of 16; `parameters`: a map from index or name to number."""
    minimum: float | None
    maximum: float | None
    exclusive_minimum: bool
    """The range does not include `minimum`."""
    default: Any
    """None if there is none."""
    choices: tuple[Any, ...]
    required: bool
    """In the profile's own section; an override may leave out any key."""
    per_port: bool
    """An override can set it for single ports of a switch."""
    unit: str | None
    """Such as `Gb/s`; one that begins with a number, such as `64 bytes`, is what the value counts."""
    attribute: str | None
    """The attribute of class 0x21 that holds the value; None if no field of its own holds it."""
    field: str | None
    """The attribute's field, in the specification's spelling."""
    meaning: str
    """A phrase without the unit."""
    alias_of: str | None = None
    """Key of the same section whose value this one gives in a physical unit; a document has one of the two."""

    @property
    def explanation(self) -> str:
        """The meaning with the unit, unless it names that itself."""
        if self.unit is None or self.unit in self.meaning:
            return self.meaning
        return f"{self.meaning}, in {'units of ' if self.unit[0].isdigit() else ''}{self.unit}"


@dataclass(frozen=True, slots=True)
class EncodedEntry:
    """One entry of a CongestionControlTable, and its rounding error against the profile's curve.

    Delays in packet times are exact multiples of 1/8; those in ns are None if the profile has no `link`.
    """

    index: int
    shift: int
    """0 to 3."""
    multiplier: int
    """0 to 16383."""
    wanted_packet_times: float
    """IRD of the curve; the entry's own where the profile lists entries."""
    ird_packet_times: float
    """IRD that the entry holds: multiplier / 2^shift."""
    wanted_ns: float | None
    ird_ns: float | None

    @property
    def error_packet_times(self) -> float:
        """Packet times that rounding added; below 0, those that it took away."""
        return self.ird_packet_times - self.wanted_packet_times

    @property
    def error_ns(self) -> float | None:
        """Nanoseconds that rounding added; below 0, those that it took away. None without a `link`."""
        return None if self.ird_ns is None or self.wanted_ns is None else self.ird_ns - self.wanted_ns


@dataclass(frozen=True, slots=True)
class Encoding:
    """A profile's CongestionControlTable in wire form."""

    entries: tuple[EncodedEntry, ...]
    """Indices 0 to CCTI_Limit; empty if the profile has no `cct`."""
    packet_time_ns: float | None
    """Time of a full packet on the profile's link: (MTU + PACKET_OVERHEAD_BYTES) · 8 / data rate."""

    @property
    def worst(self) -> EncodedEntry | None:
        """The entry with the largest rounding error in size, the first of equals; None if there are no entries."""
        return max(self.entries, key=lambda e: abs(e.error_packet_times), default=None)

    @property
    def worst_error_packet_times(self) -> float:
        """Size of the largest rounding error, in packet times: at most 1/16 for delays below 2048 packet times."""
        return 0.0 if self.worst is None else abs(self.worst.error_packet_times)

    @property
    def worst_error_ns(self) -> float | None:
        """Size of the largest rounding error, in ns; None if the profile has no `link`."""
        return None if self.packet_time_ns is None else self.worst_error_packet_times * self.packet_time_ns


class Profile:
    """A valid profile. Immutable; equal to another if both mean the same document; can be pickled."""

    __slots__ = ("_document", "_source")

    def __init__(self, document: ProfileDocument, source: str | None = None) -> None:
        """For this module only; use `from_file`, `from_text` or `from_dict`."""
        self._document = document
        self._source = source

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Self:
        """Read a YAML or JSON file. Raises ProfileError, and OSError if there is no such file."""
        with open(path, "rb") as file:
            return cls._read(file.read(), os.fspath(path))

    @classmethod
    def from_text(cls, text: str, *, source: str | None = None) -> Self:
        """Read YAML or JSON text. `source` names it in errors. Raises ProfileError."""
        try:
            return cls._read(text.encode(), source)
        except UnicodeEncodeError as error:
            raise ProfileError(f"the text has a lone surrogate at character {error.start + 1}, which UTF-8 cannot hold") from None

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], *, source: str | None = None) -> Self:
        """Read a document of plain dicts, lists, strings, numbers and booleans. Raises ProfileError."""
        try:
            text = json.dumps(document, ensure_ascii=False, allow_nan=False, default=_plain)
        except (TypeError, ValueError, RecursionError) as error:
            raise ProfileError(f"the document cannot be written as JSON: {error}", source=source) from None
        try:
            return cls.from_text(_UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text), source=source)
        except ProfileError as error:  # the caller has not seen the JSON text, so its lines mean nothing
            raise ProfileError(error.sentence, source=source) from None

    @classmethod
    def _read(cls, text: bytes, source: str | None) -> Self:
        document = ProfileDocument.read(text)
        if isinstance(document, ProfileDocument):
            return cls(document, source)
        sentence, line, column = document
        raise ProfileError(sentence.decode(errors="replace"), source=source, line=line or None, column=column or None)

    @property
    def name(self) -> str:
        return self._document.name

    @property
    def enable(self) -> bool:
        """False: the devices' tables are cleared, whatever is in the profile's sections."""
        return self._document.enable

    @property
    def source(self) -> str | None:
        """The file that the profile comes from, or `source` of `from_text`; None for a changed profile."""
        return self._source

    @property
    def packet_time_ns(self) -> float | None:
        """Time of a full packet on the profile's link; None without `link`."""
        return self._document.packet_time_ns

    def to_yaml(self) -> str:
        """The canonical document: every key of the profile's own sections, in a fixed order. It reads back equal."""
        return self._document.to_yaml()

    def to_dict(self) -> dict[str, Any]:
        """A copy of the canonical document as plain data; `from_dict` reads it back equal."""
        document: dict[str, Any] = json.loads(self._document.to_json())
        return document

    def with_settings(self, settings: Mapping[str, Any]) -> Self:
        """A profile with some keys changed, such as `{"ca.ccti_timer": 200, "overrides.0.switch.threshold": 9}`.

        Keys are dotted paths into `to_dict()`, with numbers for elements of lists; None removes a key, so that its default
        applies. Of two keys that exclude each other (entries and curve, full_scale_us and full_scale_packet_times, a rate and the
        same in Gb/s) the one that is set replaces the other. Raises ProfileError if a path does not exist or the result is not
        valid.
        """
        document = self.to_dict()
        for path, value in settings.items():
            _set(document, path, value)
        return type(self).from_dict(document)

    def encode(self) -> Encoding:
        """The profile's own table in wire form, with its rounding errors. Overrides are not included."""
        packet_ns = self.packet_time_ns
        entries = tuple(
            EncodedEntry(
                index=index,
                shift=shift,
                multiplier=multiplier,
                wanted_packet_times=wanted,
                ird_packet_times=ird,
                wanted_ns=None if packet_ns is None else wanted * packet_ns,
                ird_ns=None if packet_ns is None else ird * packet_ns,
            )
            for index, (shift, multiplier, wanted, ird) in enumerate(self._document.encode())
        )
        return Encoding(entries=entries, packet_time_ns=packet_ns)

    def diff(self, other: "Profile") -> list[tuple[str, Any, Any]]:
        """(key, value here, value in `other`) for each key of the flattened documents that differs; None where one lacks it."""
        here, there = dict(_flatten(self.to_dict())), dict(_flatten(other.to_dict()))
        keys = [*here, *(key for key in there if key not in here)]
        return [(key, here.get(key), there.get(key)) for key in keys if here.get(key) != there.get(key)]

    def resolve(self, fabric: Fabric) -> Tables:
        """The tables that the devices must hold. Raises ProfileError if values for a device contradict each other."""
        try:
            return self._document.resolve(fabric)
        except ValueError as error:
            raise ProfileError(str(error), source=self._source) from None

    def __eq__(self, other: object) -> bool:
        return self._document.equals(other._document) if isinstance(other, Profile) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._document.to_json())

    def __repr__(self) -> str:
        return f"<Profile {self.name!r}{'' if self.enable else ', not enabled'}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_pickle, (type(self), self.to_yaml(), self._source)


@lru_cache(maxsize=1)
def profile_keys() -> dict[str, Key]:
    """The keys of a profile by path, in the order of the document."""
    return {row["path"]: Key(**{**row, "choices": tuple(row["choices"])}) for row in _ccsim.profile_keys()}


def schema() -> dict[str, Any]:
    """The JSON Schema of a profile (draft 2020-12), as ccpolicy/schema publishes it."""
    text = resources.files("ccsim").joinpath("profile.schema.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


@lru_cache(maxsize=1)
def _exclusive() -> tuple[tuple[str, str], ...]:
    aliases = [(key.path.rpartition(".")[2], key.alias_of) for key in profile_keys().values()]
    return (*_EXCLUSIVE, *((name, raw) for name, raw in aliases if raw is not None))


def _from_pickle(cls: type[Profile], text: str, source: str | None) -> Profile:
    profile = cls.from_text(text)
    profile._source = source
    return profile


def _plain(value: Any) -> Any:
    """The Python number of a NumPy scalar, which json does not support."""
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{value!r} is a {type(value).__name__}")


def _set(document: dict[str, Any], path: str, value: Any) -> None:
    *parents, last = path.split(".")
    place: Any = document
    for key in parents:
        if isinstance(place, list):
            place = place[_index(place, key, path)]
        elif isinstance(place, dict):
            place = place.setdefault(key, {})
        else:
            break
    if isinstance(place, list):
        place[_index(place, last, path)] = copy.deepcopy(value)
    elif not isinstance(place, dict):
        raise ProfileError(f"the key {path!r} leads into {place!r}; it must lead into a map or a list")
    elif value is None:
        place.pop(last, None)
    else:
        for pair in _exclusive():
            if last in pair:
                place.pop(pair[1 - pair.index(last)], None)
        place[last] = copy.deepcopy(value)


def _index(items: list[Any], key: str, path: str) -> int:
    if not (key.isascii() and key.isdigit() and int(key) < len(items)):
        last = f"0 to {len(items) - 1}" if items else "nothing"
        raise ProfileError(f"the key {path!r} has {key!r} where a list needs the number of an element: {last}")
    return int(key)


def _flatten(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """(dotted path, value) of all leaves; a list of plain values is a leaf."""
    if isinstance(value, dict):
        items: Any = value.items()
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        items = enumerate(value)
    else:
        yield path, value
        return
    for key, item in items:
        yield from _flatten(item, f"{path}.{key}" if path else str(key))
