# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fields that several bodies have."""

from typing import Annotated, Any, TypeAlias

from fastapi import Path
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from api.access.passwords import MAX_LENGTH, MIN_LENGTH
from api.base import patterns


class Body(BaseModel):
    """Base of all bodies of requests: a misspelt field is refused, not ignored."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


MOST_LEVELS = 40
"""Greatest depth of lists and objects inside one another, in a field whose content other readers judge: those call themselves at
each level."""


def _shallow(value: dict[str, Any]) -> dict[str, Any]:
    level: list[Any] = [value]
    for _ in range(MOST_LEVELS):
        level = [
            inner
            for part in level
            for inner in (part.values() if isinstance(part, dict) else part)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return value
    raise ValueError(f"lists and objects are nested more than {MOST_LEVELS} levels")


FreeObject: TypeAlias = Annotated[dict[str, Any], AfterValidator(_shallow)]
"""An object that the schema says nothing about."""

Text: TypeAlias = Annotated[str, Field(pattern=patterns.NO_NUL)]
"""A text as PostgreSQL can store it."""

Username: TypeAlias = Annotated[
    str,
    Field(
        min_length=1,
        max_length=64,
        pattern=patterns.USERNAME,
        description="Letters, digits, `.`, `_`, `@`, `-`. Case does not matter.",
        examples=["anna"],
    ),
]
NewPassword: TypeAlias = Annotated[
    str,
    Field(
        min_length=MIN_LENGTH,
        max_length=MAX_LENGTH,
        description=f"{MIN_LENGTH} to {MAX_LENGTH} characters.",
        examples=["correct horse battery"],
        json_schema_extra={"format": "password"},
    ),
]
Name: TypeAlias = Annotated[
    str,
    Field(min_length=1, max_length=64, pattern=patterns.NAME, description="Lower-case letters, digits, `.`, `_`, `-`."),
]
"""A name that is part of paths: of a fabric, a profile, a workload."""

SubnetNumber: TypeAlias = Annotated[
    int,
    Field(ge=1, le=65535, description="Subnet to take of a fabric that has several, such as planes or rails; null: all."),
]

BelongsTo: TypeAlias = Annotated[
    Name | None,
    Field(
        description="The fabric to which it belongs: it is used there only, and tokens for it may change it. Null: to all "
        "fabrics, which a token for some fabrics may not say; one for a single fabric means that one then."
    ),
]
BelongsToFromNow: TypeAlias = Annotated[
    Name | None, Field(description="The fabric to which it belongs from now on; null: to all. Omit it to keep the present one.")
]

Id: TypeAlias = Annotated[
    str, Path(min_length=1, max_length=64, pattern=r"^[0-9a-f]+$", description="Identifier, as lists return it.")
]
FabricName: TypeAlias = Annotated[
    str, Path(min_length=1, max_length=64, pattern=patterns.NAME, description="Name of the fabric.", examples=["two-switch"])
]
CheckName: TypeAlias = Annotated[
    str, Path(min_length=1, max_length=64, pattern=patterns.NAME, description="Name of the check.", examples=["site"])
]
