# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Parameters of the simulated devices, set from documents and from `--set model.…`. The simulator has their rows."""

from collections.abc import Iterator, Mapping
from typing import Any

import ccsim
from tuner.document_base.model import unknown_name
from tuner.documents.scheme import NAME, SCHEME, is_of_scheme, names_scheme, scheme_schema, set_scheme
from tuner.errors import BadInputError

_FIRST_NAMED = "set each value by its full name, such as model.scheme.name"


def device_model(*settings: Mapping[str, Any], mtu_bytes: int) -> ccsim.Model:
    """The simulator's defaults with settings on top, later ones first, such as `{"switch": {"read_ports": 2}}`. A setting that
    names another scheme leaves out the parameters that earlier ones give to theirs.

    Raises BadInputError for a name that does not exist or a value that the simulator cannot take.
    """
    model = ccsim.Model()
    for setting in settings:
        for path, value in in_order(setting):
            set_parameter(model, path, value)
    validate_model(model, mtu_bytes)
    return model


def set_parameter(model: ccsim.Model, path: str, value: object) -> None:
    """Sets `switch.read_ports`, say. Raises BadInputError for an unknown name or a value of the wrong type."""
    if is_of_scheme(path):
        set_scheme(model.scheme, path, value)
        return
    known = dict(leaves(ccsim.Model().to_dict()))
    if path not in known:
        raise BadInputError(unknown_name("setting", f"model.{path}", [f"model.{name}" for name in known]))
    _set(model, path, value, known[path])


def validate_model(model: ccsim.Model, mtu_bytes: int) -> None:
    """Raises BadInputError, beginning with the parameter's name, for a value that the simulator cannot take."""
    try:
        model.validate(mtu_bytes)
    except ValueError as error:
        raise BadInputError(str(error)) from error


def parameters_schema() -> dict[str, Any]:
    """The JSON Schema of `model:` in documents; it follows from the simulator's own rows."""
    schema = _group_schema()
    for row in ccsim.model_parameters():
        *groups, leaf = row["name"].split(".")
        members = schema["properties"]
        for name in groups:
            members = members.setdefault(name, _group_schema())["properties"]
        limits = {key: row[key] for key in ("minimum", "maximum") if row.get(key) is not None}
        choices = {"enum": row["choices"]} if "choices" in row else {}
        text = f"{row['meaning']} {row['consequence']}"
        members[leaf] = {"type": row["type"], "default": row["default"], "description": text, **limits, **choices}
    schema["properties"][SCHEME] = scheme_schema(ccsim.schemes())
    return schema


def meanings() -> dict[str, str]:
    """Meaning of each parameter, the scheme's included, by dotted name."""
    found = {row["name"]: row["meaning"] for row in ccsim.model_parameters()}
    found[NAME] = "Scheme of the devices."
    for scheme in ccsim.schemes():
        found |= {f"{SCHEME}.{row['name']}": row["meaning"] for row in scheme["parameters"]}
    return found


def nested(settings: Mapping[str, Any]) -> dict[str, Any]:
    """`{"switch.read_ports": 2}` as `{"switch": {"read_ports": 2}}`.

    Raises BadInputError where one name leads into the value of another, as `scheme` and `scheme.name` do.
    """
    result: dict[str, Any] = {}
    for path, value in settings.items():
        *groups, leaf = path.split(".")
        group = result
        for name in groups:
            group = group.setdefault(name, {})
            if not isinstance(group, dict):
                raise BadInputError(f"{path} leads into {group!r}, which has no keys; {_FIRST_NAMED}")
        if isinstance(group.get(leaf), dict):
            raise BadInputError(f"{path} is set as a whole and in parts; {_FIRST_NAMED}")
        group[leaf] = value
    return result


def in_order(settings: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The leaves of nested settings, the scheme's name ahead of the scheme's parameters."""
    return sorted(leaves(settings), key=lambda leaf: not names_scheme(leaf[0]))


def leaves(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The inverse of nested(): dotted names and values."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from leaves(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _group_schema() -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": {}}


def _set(model: ccsim.Model, path: str, value: object, default: object) -> None:
    expected = "text" if isinstance(default, str) else "a whole number" if isinstance(default, int) else "a number"
    fits = isinstance(value, float | int if isinstance(default, float) else type(default)) and not isinstance(value, bool)
    if not fits:
        raise BadInputError(f"model.{path} is {value!r}; {expected} is expected")
    *groups, leaf = path.split(".")
    owner: object = model
    for name in groups:
        owner = getattr(owner, name)
    try:
        setattr(owner, leaf, value)
    except TypeError as error:  # a whole number that is negative or beyond the field
        raise BadInputError(f"model.{path} is {value!r}, which is out of range") from error
    except ValueError as error:
        raise BadInputError(str(error)) from error
