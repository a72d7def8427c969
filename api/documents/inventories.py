# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The inventory of a fabric as JSON."""

from pydantic import BaseModel, Field

from api.times import Time


class InventoryDocument(BaseModel):
    fabric: str
    name: str = Field(description="The inventory's own name.")
    document: str = Field(description="As it was written (YAML).")
    hosts: int = Field(description="How many it has.")
    launcher: str = Field(description="Its kind: `ssh`, `srun` or `local`.")
    created_at: Time
    created_by: str
    changed_at: Time
    changed_by: str
    etag: str
