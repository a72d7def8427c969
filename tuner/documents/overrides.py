# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Changes single values of a document before it is checked, as `--set` and options of the command line do."""

import copy
from collections.abc import Mapping
from typing import Any

from tuner.document_base.yaml_core import Document
from tuner.errors import BadInputError


def overridden(document: Document, changes: Mapping[str, Any]) -> Document:
    """The document with the values at some dotted paths replaced or added: `{"budget.trials": 10}`.

    Keys may hold dots themselves: `space.ca.ccti_timer.high` finds the key `ca.ccti_timer` of `space`. Raises BadInputError if a
    path leads into something that is not a mapping.
    """
    value = copy.deepcopy(document.value)
    for path, new in changes.items():
        _set(value, path, new, path)
    return Document(source=document.source, value=value, lines=document.lines)


def _set(place: Any, path: str, new: Any, whole: str) -> None:
    if not isinstance(place, dict):
        raise BadInputError(f"'{whole}' leads into {place!r}, which has no keys")
    inner = max((key for key in place if path.startswith(f"{key}.")), key=len, default=None)
    if inner is not None and path not in place:
        _set(place[inner], path.removeprefix(f"{inner}."), new, whole)
    elif path in place or "." not in path:
        place[path] = new
    else:
        first, _, rest = path.partition(".")
        place[first] = {}
        _set(place[first], rest, new, whole)
