# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The JSON document of a twin."""

from typing import Literal

from pydantic import BaseModel, Field

from api.base.times import Time
from api.documents.texts import NodeName, Sentence


class TwinVerdict(BaseModel):
    good: bool | None = Field(description="Whether it is as it should be; null: a note.")
    text: Sentence


class TwinOut(BaseModel):
    """A twin, without its report."""

    id: str
    import_id: str | None = Field(description="Import that it is of, until somebody keeps that; null: of a fabric.")
    fabric: str | None
    version: int | None = Field(description="Version of the fabric's wiring that it was begun for.")
    outdated: bool = Field(description="Whether the fabric has another version now.")
    source_name: NodeName = Field(description="Name of the file, or of the fabric.")
    state: Literal["running", "ready", "failed", "cancelled"]
    problem: Sentence | None = Field(description="Why the last one was not made, as a sentence.")
    job: str | None = Field(description="Job that makes it.")
    verdicts: list[TwinVerdict] = Field(description="Findings of the last report that was made; empty: there is none.")
    negative: bool = Field(description="Whether one of them is not good.")
    made_at: Time | None = Field(description="Time at which that report was made; null: there is none.")
    created_at: Time
    created_by: str
