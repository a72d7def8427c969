# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The scheme of simulated devices, `model.scheme` in documents and settings. The simulator has the list of schemes."""

from collections.abc import Mapping, Sequence
from typing import Any

import ccsim
from tuner.errors import BadInputError

SCHEME = "scheme"
"""Key of the scheme in the model. Its value is a mapping of `name` and the scheme's parameters, or the name alone."""
NAME = f"{SCHEME}.name"

Row = Mapping[str, Any]
"""A row of ccsim.schemes()."""


def is_of_scheme(path: str) -> bool:
    """True for `scheme`, `scheme.name` and `scheme.PARAMETER`."""
    return path == SCHEME or path.startswith(f"{SCHEME}.")


def names_scheme(path: str) -> bool:
    """True for `scheme` and `scheme.name`, which must be set ahead of the scheme's parameters."""
    return path in (SCHEME, NAME)


def set_scheme(choice: ccsim.SchemeChoice, path: str, value: object) -> None:
    """Sets the name or a parameter. Another name than before drops the values of the former scheme's parameters.

    Raises BadInputError for a value of the wrong type; `ccsim.Model.validate` checks names and ranges.
    """
    if names_scheme(path):
        if not isinstance(value, str):
            raise BadInputError(
                f"model.{path} is {value!r}; it must be one of {', '.join(row['name'] for row in ccsim.schemes())}"
            )
        if value != choice.name:
            choice.values = {}
        choice.name = value
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadInputError(f"model.{path} is {value!r}; a number is expected")
    try:
        number = float(value)
    except OverflowError as error:
        raise BadInputError(f"model.{path} is {value!r}, which is out of range") from error
    choice.values = {**choice.values, path.removeprefix(f"{SCHEME}."): number}


def scheme_schema(schemes: Sequence[Row]) -> dict[str, Any]:
    """The JSON Schema of `model.scheme`: a name, or a mapping with the parameters of the scheme that `name` names."""
    default = ccsim.SchemeChoice().name
    names = {"type": "string", "enum": [row["name"] for row in schemes]}
    mappings = [_mapping_schema(row, is_default=row["name"] == default) for row in schemes]
    text = (
        "What switches and adapters do about congestion beside the profile. A name alone leaves the parameters at their defaults."
    )
    return {"description": text, "default": default, "anyOf": [names, *mappings]}


def scheme_lines(schemes: Sequence[Row]) -> list[str]:
    """A line for each scheme: its name and what it is."""
    return [f"{row['name']}: {row['summary']}" for row in schemes]


def _mapping_schema(scheme: Row, *, is_default: bool) -> dict[str, Any]:
    properties: dict[str, Any] = {"name": {"const": scheme["name"], "description": scheme["summary"]}}
    for row in scheme["parameters"]:
        limits = {key: row[key] for key in ("minimum", "maximum") if row[key] is not None}
        text = f"{row['meaning']} {row['consequence']}"
        properties[row["name"]] = {"type": row["type"], "default": row["default"], "description": text, **limits}
    required = {} if is_default else {"required": ["name"]}
    return {"type": "object", "additionalProperties": False, "properties": properties, **required}
