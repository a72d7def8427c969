# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The hosts of a fabric: the inventory that an administrator keeps, and what the last check found."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from api.base.times import now
from api.database.base import Base


class StoredInventory(Base):
    __tablename__ = "inventories"

    fabric: Mapped[str] = mapped_column(ForeignKey("fabrics.name", ondelete="CASCADE"), primary_key=True)
    document: Mapped[str] = mapped_column(Text)
    revision: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))
    changed_at: Mapped[datetime] = mapped_column(default=now)
    changed_by: Mapped[str] = mapped_column(String(64))


class HostCheck(Base):
    """The last one of a fabric. It goes with the inventory."""

    __tablename__ = "host_checks"

    fabric: Mapped[str] = mapped_column(ForeignKey("inventories.fabric", ondelete="CASCADE"), primary_key=True)
    inventory_revision: Mapped[int]
    checked_at: Mapped[datetime] = mapped_column(default=now)
    checked_by: Mapped[str] = mapped_column(String(64))
    job: Mapped[str] = mapped_column(String(32))
    hosts: Mapped[dict[str, Any]]  # by node: its summary, and `checked_at`, as a check may be of some hosts only
