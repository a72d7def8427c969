# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A profile as JSON, and what is wrong with one."""

from typing import Any

from pydantic import BaseModel, Field

from api.base.times import Time
from api.documents.texts import Sentence
from api.documents.validation import DocumentProblem


class ProfileDocument(BaseModel):
    name: str
    version: int
    document: str = Field(description="Document (YAML), as it was written.")
    digest: str = Field(description="SHA-256 of the canonical document, which does not depend on how it is written.")
    comment: str
    builtin: bool = Field(description="True if it comes with ibcc and cannot be changed.")
    archived: bool
    belongs_to: str | None = Field(
        description="The fabric to which it belongs: it is used there only, and tokens for it may change it. Null: to all."
    )
    created_at: Time | None
    created_by: str | None
    etag: str


class CurvePoint(BaseModel):
    ccti: int
    ird_us: float | None = Field(description="Delay after a full packet; null without `link`, which determines it.")
    ird_packet_times: float
    shift: int
    multiplier: int


class Validation(BaseModel):
    valid: bool
    problems: list[DocumentProblem]
    warnings: list[Sentence] = Field(description="Keys of the profile that have no effect on the fabric.")
    resolved: dict[str, Any] | None = Field(description="Canonical document, with all defaults.")
    packet_time_ns: float | None
    reach: str | None = Field(description="Number of contributors that the profile can hold back.")
    curve: list[CurvePoint]
