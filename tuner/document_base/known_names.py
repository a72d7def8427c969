# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Names that a field knows, in its JSON Schema: editors offer them, with what each means."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import GetJsonSchemaHandler
from pydantic_core import CoreSchema


@dataclass(frozen=True)
class KnownNames:
    """`Annotated[str, KnownNames(…)]`, or the keys of an annotated mapping. The reader judges other names, not the schema."""

    names: Callable[[], Mapping[str, str]]
    """Returns the meanings by name; called when the schema is asked for."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        plain: dict[str, Any] = handler(schema)
        known = [{"const": name, "description": meaning} for name, meaning in self.names().items()]
        if plain.get("type") != "object":
            return {"anyOf": [*known, plain]}
        return plain | {"propertyNames": {"anyOf": [*known, plain.get("propertyNames", {"type": "string"})]}}
