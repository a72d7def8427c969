# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A profile as JSON, and what is wrong with one."""

from typing import Any

from pydantic import BaseModel, Field

from api.times import Time


class ProfileDocument(BaseModel):
    name: str
    version: int
    document: str = Field(description="As it was written (YAML).")
    digest: str = Field(description="SHA-256 of the canonical document: what it says, not how it is written.")
    comment: str
    builtin: bool = Field(description="Comes with ibcc, and cannot be changed.")
    archived: bool
    belongs_to: str | None = Field(
        description="The fabric to which it belongs: it is used there only, and tokens for it may change it. Null: to all."
    )
    created_at: Time | None
    created_by: str | None
    etag: str


class ProfileProblem(BaseModel):
    path: str = Field(description="The key that the sentence begins with, if it is one; else empty.")
    line: int | None
    detail: str


class CurvePoint(BaseModel):
    ccti: int
    ird_us: float | None = Field(description="Delay after a full packet; null without `link`, which says how long that takes.")
    ird_packet_times: float
    shift: int
    multiplier: int


class Validation(BaseModel):
    valid: bool
    problems: list[ProfileProblem]
    warnings: list[str] = Field(description="What the profile says and the fabric has no use for.")
    resolved: dict[str, Any] | None = Field(description="The canonical document, with all defaults.")
    packet_time_ns: float | None
    reach: str | None = Field(description="How many contributors it can hold back.")
    curve: list[CurvePoint]
