# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Deliveries: messages to the notifiers' addresses, before and after they are sent."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from api.base.identifiers import new_id
from api.base.times import now
from api.database.base import PATH_FREE, Base
from api.database.unreadable import TolerantDict, TolerantList, TolerantTime


class Delivery(Base):
    __tablename__ = "deliveries"
    __table_args__ = (Index("ix_deliveries_address_state_due_at", "address", "state", "due_at"),)

    id: Mapped[str] = mapped_column(String(32), primary_key=True, default=new_id)
    address: Mapped[str] = mapped_column(String(32))  # its name in the settings
    state: Mapped[str] = mapped_column(String(16), default="pending")  # see api.states.deliveries
    test: Mapped[bool] = mapped_column(default=False)
    severity: Mapped[str] = mapped_column(String(16))  # the gravest of its events
    items: Mapped[list[Any]] = mapped_column(TolerantList, info=PATH_FREE)  # the first events; see api.events.items
    counts: Mapped[dict[str, Any]] = mapped_column(TolerantDict)  # number of all events by severity
    created_at: Mapped[datetime] = mapped_column(TolerantTime, default=now, index=True)
    due_at: Mapped[datetime] = mapped_column(TolerantTime)
    attempts: Mapped[int] = mapped_column(default=0)
    began_at: Mapped[datetime | None] = mapped_column(TolerantTime)  # when it was taken for the first time
    claim: Mapped[str | None] = mapped_column(String(32))  # of whoever is sending it
    lease_until: Mapped[datetime | None] = mapped_column(TolerantTime)
    ended_at: Mapped[datetime | None] = mapped_column(TolerantTime)
    problem: Mapped[str | None] = mapped_column(Text, info=PATH_FREE)  # of the last attempt
