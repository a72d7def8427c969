# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Events for listeners, kept for a while, so that a stream that broke resumes without a gap."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Index, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

from api.base.times import now
from api.database.base import PATH_FREE, Base
from api.database.unreadable import TolerantDict, TolerantTime


class Event(Base):
    __tablename__ = "events"
    # A number is never given twice, not even after the newest rows are gone.
    __table_args__ = (Index("ix_events_severity_id", "severity", "id"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    at: Mapped[datetime] = mapped_column(TolerantTime, default=now, index=True)
    topic: Mapped[str] = mapped_column(String(128), index=True)
    kind: Mapped[str] = mapped_column(String(64))
    fabric: Mapped[str | None] = mapped_column(String(64))  # whom it concerns; None: everybody
    severity: Mapped[str | None] = mapped_column(String(8))  # as api.events.severities; None: no news
    data: Mapped[dict[str, Any]] = mapped_column(TolerantDict, info=PATH_FREE)
