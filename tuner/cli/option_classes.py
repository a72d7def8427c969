# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Options that several commands share, as one class: `ibcc tune` and `ibcc --server URL tune` have the same ones."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints


def with_option_classes(command: Callable[..., None]) -> Callable[..., None]:
    """The command for typer: each parameter whose type is a dataclass is replaced by an option for each of its fields, annotated
    as a parameter would be; `command` gets an object of that class."""
    hints = get_type_hints(command, include_extras=True)
    parts: dict[str, type[Any]] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        hint = hints[name]
        if isinstance(hint, type) and is_dataclass(hint):
            parts[name] = hint
            types = get_type_hints(hint, include_extras=True)
            for field in fields(hint):
                default = inspect.Parameter.empty if field.default is MISSING else field.default
                parameters.append(_keyword(field.name, default, types[field.name]))
        else:
            parameters.append(_keyword(name, parameter.default, hint))

    def run(**given: Any) -> None:
        objects = {name: part(**{one.name: given.pop(one.name) for one in fields(part)}) for name, part in parts.items()}
        command(**objects, **given)

    run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _keyword(name: str, default: Any, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
