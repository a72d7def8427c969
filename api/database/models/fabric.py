# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fabrics by name: what an administrator said of each, and what the service records about it."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from api.base.times import now
from api.database.base import Base


class Fabric(Base):
    __tablename__ = "fabrics"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    kind: Mapped[str] = mapped_column(String(32))
    description: Mapped[str] = mapped_column(Text, default="")
    options: Mapped[dict[str, Any]]
    second_person: Mapped[bool] = mapped_column(default=False)  # a promotion needs another one's approval
    off_asked_by: Mapped[str | None] = mapped_column(String(64))  # who wants that switched off; another admin has to agree
    off_asked_by_id: Mapped[str | None] = mapped_column(String(32))
    off_asked_behind: Mapped[dict[str, Any] | None]  # names by id: who could have asked for it, as of then
    off_asked_givers: Mapped[dict[str, Any] | None]  # the same of who could have used the link to that account
    off_asked_at: Mapped[datetime | None]
    reset_by: Mapped[str | None] = mapped_column(String(64))  # who switched it off on the machine, by a command
    reset_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))
    revision: Mapped[int] = mapped_column(default=1)

    record: Mapped["FabricRecord"] = relationship(lazy="joined", cascade="all, delete-orphan", passive_deletes=True)


class FabricRecord(Base):
    """Data that the service records about a fabric; in a separate table, since an administrator's change must not wait for it."""

    __tablename__ = "fabric_keepings"

    fabric: Mapped[str] = mapped_column(ForeignKey("fabrics.name", ondelete="CASCADE"), primary_key=True)
    memory: Mapped[dict[str, Any]] = mapped_column(default=dict)  # of a simulated fabric: what is in force
    runtime: Mapped[dict[str, Any]] = mapped_column(default=dict)  # of an emulated one: its sockets, or why it does not run
    base: Mapped[str | None] = mapped_column(Text)  # the base profile that it gets again when the server starts it anew
    goals: Mapped[dict[str, Any] | None]  # goals of campaigns that were tried on its wiring: `of`, a digest, and `offers`
    load: Mapped[dict[str, Any] | None]  # of a simulated one: by GUID, how congested the last measurement was, 0 to 1
