# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fields of a profile that only some devices get, by a path that says which.

`overrides[role=leaf].switch.threshold` is the Threshold of leaf switches: `threshold` in the `switch` section of the override
whose `match` is `{role: leaf}`. Several keys of a match are separated by commas, ports by `+`: `overrides[node=a*, ports=1+2]`. A
role may stand alone: `overrides[leaf]`. Where a profile has no such override, one is added behind the others, so that it wins.
"""

import copy
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tuner.errors import BadInputError

ROLES = ("switch", "leaf", "spine", "ca", "host", "aggregation")
MATCH_KEYS = ("guid", "node", "role", "ports")
_PATH = re.compile(r"overrides\[(?P<match>.+)\]\.(?P<section>switch|ca|cct|nvidia)\.(?P<field>.+)")


@dataclass(frozen=True)
class GroupField:
    """A field of an override."""

    match: tuple[tuple[str, Any], ...]
    """The override's match, as the profile has it; a list of ports is a tuple."""
    section: str
    field: str
    """Dotted, within the section."""

    @classmethod
    def parse(cls, path: str) -> "GroupField | None":
        """None for a path of another kind, which is a profile's own. Raises BadInputError for one that begins as one of these."""
        if not path.startswith("overrides["):
            return None
        found = _PATH.fullmatch(path)
        if found is None:
            raise BadInputError(
                f"'{path}' does not name a field of some devices, such as overrides[role=leaf].switch.threshold; "
                "the section is switch, ca, cct or nvidia"
            )
        return cls(_match(path, found["match"]), found["section"], found["field"])

    def is_of(self, override: Mapping[str, Any]) -> bool:
        """An element of a profile's `overrides` is about the same devices."""
        return _canonical_match(override["match"].items()) == _canonical_match(self.match)

    def set(self, document: dict[str, Any], value: object) -> None:
        """Sets the field in a profile's document, whose own sections must have their values already. A table is one thing, and so
        is a list such as nvidia.switch.thresholds: an override of one field of it takes the rest from the profile's own."""
        overrides = document.setdefault("overrides", [])
        override = next((one for one in overrides if self.is_of(one)), None)
        if override is None:
            override = {"match": {key: list(part) if isinstance(part, tuple) else part for key, part in self.match}}
            overrides.append(override)
        if self.section == "cct" and not {"curve", "entries"} & override.get("cct", {}).keys():
            override["cct"] = copy.deepcopy(document.get("cct", {})) | override.get("cct", {})
        place = override.setdefault(self.section, {})
        *parents, last = self.field.split(".")
        own = document.get(self.section, {})
        for key in parents:
            own = lookup(own, key)
            if isinstance(place, list):
                if not (key.isdecimal() and int(key) < len(place)):
                    raise BadInputError(f"'{self.field}' names element {key} of a list of {len(place)}")
                place = place[int(key)]
            else:
                place = place.setdefault(key, copy.deepcopy(own) if isinstance(own, list) else {})
            if not isinstance(place, dict | list):
                raise BadInputError(f"'{self.field}' leads into {place!r}, which has no keys")
        place[last] = value

    def get(self, document: Mapping[str, Any]) -> Any:
        """Returns the value that devices of this group have: the override's, else the profile's own; None without either."""
        for override in reversed(document.get("overrides", [])):
            if self.is_of(override):
                value = lookup(override, f"{self.section}.{self.field}")
                if value is not None:
                    return value
        return lookup(document, f"{self.section}.{self.field}")


def value_of(document: Mapping[str, Any], path: str) -> Any:
    """The value of a field by any kind of path, or None. Raises BadInputError for a path that makes no sense."""
    group = GroupField.parse(path)
    return lookup(document, path) if group is None else group.get(document)


def lookup(document: Any, path: str) -> Any:
    """The value at a dotted path, with numbers for elements of lists, or None."""
    value = document
    for key in path.split("."):
        if isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        elif isinstance(value, Mapping) and key in value:
            value = value[key]
        else:
            return None
    return value


def _match(path: str, text: str) -> tuple[tuple[str, Any], ...]:
    match = {}
    for part in text.split(","):
        key, equals, value = (word.strip() for word in part.partition("="))
        if not equals and key in ROLES:
            key, value = "role", key
        if key not in MATCH_KEYS or not value:
            raise BadInputError(
                f"'{path}' matches devices by '{part.strip()}'; it must be one of {', '.join(MATCH_KEYS)}, as role=leaf"
            )
        if key in match:
            raise BadInputError(f"'{path}' has {key} twice")
        match[key] = _ports(value) if key == "ports" else value
    return tuple(sorted(match.items()))


def _ports(text: str) -> Any:
    return tuple(int(port) for port in text.split("+")) if re.fullmatch(r"\d+(\+\d+)*", text) else text


def _canonical_match(match: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    return {key: _canonical(key, value) for key, value in match}


def _canonical(key: str, value: Any) -> Any:
    if key == "guid":
        return int(value, 0) if isinstance(value, str) else value
    return tuple(sorted(value)) if isinstance(value, list | tuple) else value
