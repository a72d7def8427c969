# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Audit log: who did what to which fabric, person or token. Rows are only ever added."""

from datetime import datetime
from typing import Any

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from api.base.identifiers import new_id
from api.base.times import now
from api.database.base import PATH_FREE, Base


class AuditEntry(Base):
    __tablename__ = "audit"

    id: Mapped[str] = mapped_column(String(32), primary_key=True, default=new_id)
    at: Mapped[datetime] = mapped_column(default=now, index=True)
    # A name, not a key to users: it stays true when the person is gone.
    actor: Mapped[str] = mapped_column(String(64), index=True)
    via: Mapped[str] = mapped_column(String(100))  # session, token NAME, setup, command, job ID
    action: Mapped[str] = mapped_column(String(64), index=True)
    object: Mapped[str] = mapped_column(String(255))
    fabric: Mapped[str | None] = mapped_column(String(64), index=True)
    address: Mapped[str | None] = mapped_column(String(64))
    detail: Mapped[dict[str, Any] | None] = mapped_column(info=PATH_FREE)
