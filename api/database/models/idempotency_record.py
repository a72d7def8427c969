# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Answers already given to requests with an Idempotency-Key."""

from datetime import datetime
from typing import Any

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from api.base.times import now
from api.database.base import Base


class IdempotencyRecord(Base):
    __tablename__ = "idempotency_records"

    user_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    key: Mapped[str] = mapped_column(String(128), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(64))  # of method, path and body
    created_at: Mapped[datetime] = mapped_column(default=now, index=True)
    status: Mapped[int | None]  # None while the first request is under way
    headers: Mapped[dict[str, Any] | None]
    body: Mapped[dict[str, Any] | None]
