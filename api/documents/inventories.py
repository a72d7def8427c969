# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The inventory of a fabric as JSON."""

from pydantic import BaseModel, Field

from api.base.times import Time


class InventoryDocument(BaseModel):
    fabric: str
    name: str = Field(description="Name of the inventory.")
    document: str = Field(description="Document (YAML), as it was written.")
    hosts: int = Field(description="Number of hosts.")
    launcher: str = Field(description="Kind of launcher: `ssh`, `srun` or `local`.")
    created_at: Time
    created_by: str
    changed_at: Time
    changed_by: str
    etag: str
