# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Settings of a backend: `model.…`, parameters of simulated devices, and `backend.…`, those of the backend itself."""

from collections.abc import Mapping
from typing import Any, TypeVar

from tuner.document_base.model import DocumentModel, build_model, unknown_name
from tuner.errors import BadInputError

M = TypeVar("M", bound=DocumentModel)


class NoSettings(DocumentModel):
    """Settings of a backend that takes none."""


def model_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the devices, by dotted name without `model.`."""
    return {key.removeprefix("model."): value for key, value in settings.items() if key.startswith("model.")}


def own_settings(name: str, settings: Mapping[str, Any], kind: type[M]) -> M:
    """Those of the backend of that name, checked. Raises BadInputError for one that it has not, or a value that it cannot
    take."""
    own = {key.removeprefix("backend."): value for key, value in settings.items() if key.startswith("backend.")}
    prefixes = ("model.", "backend.") if kind.model_fields else ("model.",)
    for key in settings:
        if not key.startswith(prefixes):
            begin = " or ".join(f"'{prefix}'" for prefix in prefixes)
            raise BadInputError(f"backend '{name}' has no setting '{key}'; its settings begin with {begin}")
    for key in own:
        if key not in kind.model_fields:
            known = [f"backend.{field}" for field in kind.model_fields]
            raise BadInputError(f"backend '{name}': {unknown_name('setting', f'backend.{key}', known)}")
    for field, info in kind.model_fields.items():
        if info.is_required() and field not in own:
            raise BadInputError(f"backend '{name}' lacks the setting 'backend.{field}'")
    try:
        return build_model(kind, own)
    except BadInputError as error:
        raise BadInputError(f"backend '{name}': backend.{error.sentence}") from error
