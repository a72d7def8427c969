# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A workload as JSON."""

from typing import Literal

from pydantic import BaseModel, Field

from api.base.times import Time


class WorkloadDocument(BaseModel):
    name: str
    document: str = Field(description="Document (YAML), as it was written.")
    builtin: bool = Field(description="True if it comes with ibcc and cannot be changed.")
    fabric: str = Field(description="Fabric for which it was written.")
    duration_s: float
    belongs_to: str | None = Field(
        description="The fabric to which it belongs: it is used there only, and tokens for it may change it. Null: to all."
    )
    flows: int = Field(description="Number of listed flows; patterns make more.")
    patterns: int
    created_at: Time | None
    created_by: str | None
    changed_at: Time | None
    etag: str


class WorkloadUse(BaseModel):
    kind: Literal["campaign", "check"]
    id: str = Field(description="Id of the campaign, or name of the check.")
    name: str
    fabric: str
    state: str | None = Field(description="State of the campaign.")
