# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fields of a space that are no profile's: parameters of the simulated devices, by a path that begins with `model.`.

They are for studies: no administrator can set them on a fabric. `model.switch.hysteresis_bytes` is a row of
`ccsim.model_parameters()`, `model.scheme.name` the scheme, and `model.scheme.cfqs` a parameter of the scheme.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import ccsim
from tuner.documents.device_model import device_model, leaves, nested
from tuner.documents.fabric import FabricDocument
from tuner.documents.parameter import Parameter, Scalar
from tuner.documents.scheme import NAME, SCHEME
from tuner.errors import BadInputError
from tuner.search.space import MODEL, Space, is_of_model

SCHEME_NAME = MODEL + NAME

BACKENDS = ("simulated", "recorded")
"""Backends whose devices have the model that a trial gives them. All others measure on a fabric that has devices already."""


def check_model(space: Space, path: str, backend: str, fabrics: Iterable[FabricDocument], settings: Mapping[str, Any]) -> None:
    """Does nothing for a field of a profile. Raises BadInputError if the backend cannot vary the model, or if an end of the
    field's range or a choice makes no model of one of the fabrics. `settings`: those of the backend, by dotted name without
    `model.`."""
    if is_of_model(path):
        require_simulated(path, backend)
        for fabric in fabrics:
            _check(space, path, fabric, settings)


def require_simulated(path: str, backend: str) -> None:
    """Raises BadInputError, its sentence to follow the field's name, if a backend's devices do not have the model of a trial."""
    if backend not in BACKENDS:
        raise BadInputError(
            f"is a parameter of simulated devices, and backend '{backend}' measures on devices that have theirs; only "
            f"backend {' or '.join(BACKENDS)} can vary {path}"
        )


def are_one_choice(path: str, other: str) -> bool:
    """True for the same parameter, and for any two of the scheme: another name changes which parameters there are."""
    scheme = f"{MODEL}{SCHEME}"
    return path == other or all(one == scheme or one.startswith(f"{scheme}.") for one in (path, other))


def devices_of(fabrics: Sequence[FabricDocument], settings: Mapping[str, Any], varied: Iterable[str]) -> dict[str, Scalar]:
    """The parameters that the devices have without a trial's, by path in a space.

    Raises BadInputError, its sentence beginning with the parameter, where the fabrics differ in one that is varied: a published
    profile is measured on the devices as they are, so these must be the same on all.
    """
    models = [_model_of(fabric, settings) for fabric in fabrics]
    for path in varied:
        for fabric, model in zip(fabrics, models, strict=True):
            if model.get(path) != models[0].get(path):
                raise BadInputError(
                    f"{path} is {models[0].get(path)} on fabric '{fabrics[0].name}' and {model.get(path)} on '{fabric.name}'; "
                    f"give both one value, by --set {path}=VALUE"
                )
    return models[0]


def _model_of(fabric: FabricDocument, settings: Mapping[str, Any]) -> dict[str, Scalar]:
    model = device_model(fabric.model, nested(settings), mtu_bytes=fabric.mtu_bytes).to_dict()
    return {f"{MODEL}{path}": value for path, value in leaves(model)}


def _check(space: Space, path: str, fabric: FabricDocument, settings: Mapping[str, Any]) -> None:
    if path == f"{MODEL}{SCHEME}":
        raise BadInputError(f"is the whole scheme; write {SCHEME_NAME}, and {MODEL}{SCHEME}.PARAMETER beside it")
    if _takes_whole_numbers(path) and _is_continuous(space.parameters[path]):
        low, high = space.parameters[path].low, space.parameters[path].high
        raise BadInputError(f"is a range of any numbers, {low} to {high}, and takes whole ones; write its ends without a point")
    for model in space.model_extremes(path):
        for scheme in _schemes(space, path):
            try:
                device_model(fabric.model, nested(settings), nested({**model, **scheme}), mtu_bytes=fabric.mtu_bytes)
            except BadInputError as error:
                if _fits_others(space, path, fabric, settings, {**model, **scheme}):
                    continue
                if not scheme or SCHEME_NAME in space.parameters[path].when:
                    raise
                condition = f"a condition, when: {{{SCHEME_NAME}: NAME}}, draws it for one scheme alone"
                raise BadInputError(f"{error.sentence}; {condition}") from error


def _fits_others(
    space: Space, path: str, fabric: FabricDocument, settings: Mapping[str, Any], model: Mapping[str, Scalar]
) -> bool:
    """Whether a model is one that the simulator takes with other parameters of its scheme at ends of their ranges in the space:
    some must fit one another, as Go must be less than Stop."""
    if not path.startswith(f"{MODEL}{SCHEME}.") or path == SCHEME_NAME:
        return False
    others = [
        model_path
        for model_path in space.model_paths
        if model_path.startswith(f"{MODEL}{SCHEME}.")
        and model_path not in (path, SCHEME_NAME)
        and model.get(NAME) in space.parameters[model_path].when.get(SCHEME_NAME, (model.get(NAME),))
    ]
    for ends in itertools.product(*(space.parameters[one].ends for one in others)):
        beside = {one.removeprefix(MODEL): end for one, end in zip(others, ends, strict=True)}
        try:
            device_model(fabric.model, nested(settings), nested({**beside, **model}), mtu_bytes=fabric.mtu_bytes)
        except BadInputError:
            continue
        return bool(others)
    return False


def _schemes(space: Space, path: str) -> Sequence[Mapping[str, Any]]:
    """The schemes under which the field is drawn: a field of a scheme must be a parameter of each of them."""
    names = space.parameters.get(SCHEME_NAME)
    if names is None or path == SCHEME_NAME or not path.startswith(f"{MODEL}{SCHEME}."):
        return ({},)
    allowed = space.parameters[path].when.get(SCHEME_NAME, names.ends)
    return [{NAME: name} for name in names.ends if name in allowed]


def _takes_whole_numbers(path: str) -> bool:
    rows = {f"{MODEL}{row['name']}": row for row in ccsim.model_parameters()}
    rows |= {f"{MODEL}{SCHEME}.{row['name']}": row for scheme in ccsim.schemes() for row in scheme["parameters"]}
    return path in rows and bool(rows[path]["type"] == "integer")


def _is_continuous(parameter: Parameter) -> bool:
    return parameter.low is not None and not parameter.whole
