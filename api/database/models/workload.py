# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Workloads by name, of people's own; those that ship are files."""

from datetime import datetime

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from api.base.times import now
from api.database.base import Base


class StoredWorkload(Base):
    __tablename__ = "workloads"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    document: Mapped[str] = mapped_column(Text)
    fabric: Mapped[str | None] = mapped_column(String(64))  # to which it belongs, also when that is gone; None: to all
    revision: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))
    changed_at: Mapped[datetime] = mapped_column(default=now)
