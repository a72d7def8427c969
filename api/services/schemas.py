# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The JSON Schemas of all kinds of documents that the service reads."""

import json
from functools import lru_cache
from typing import Any

from api.base.problems import NotFound
from ccsim import policy
from tuner.documents.schemas import schema_texts


@lru_cache(maxsize=1)
def schemas() -> dict[str, dict[str, Any]]:
    """Returns the schemas by kind of document, in the order of their names."""
    found = {kind: json.loads(text) for kind, text in schema_texts().items()} | {"profile": policy.schema()}
    return dict(sorted(found.items()))


def get_schema(kind: str) -> dict[str, Any]:
    """Raises NotFound."""
    known = schemas()
    if kind not in known:
        raise NotFound(f"There is no schema of a document {kind!r:.80}; there are {', '.join(known)}.")
    return known[kind]
