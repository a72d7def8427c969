# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Profiles by name; what was written once is never changed, only followed by the next version."""

from datetime import datetime

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from api.base.times import now
from api.database.base import Base


class StoredProfile(Base):
    __tablename__ = "profiles"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    latest: Mapped[int] = mapped_column(default=1)
    archived: Mapped[bool] = mapped_column(default=False)
    fabric: Mapped[str | None] = mapped_column(String(64))  # to which it belongs, also when that is gone; None: to all
    created_at: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))


class ProfileVersion(Base):
    __tablename__ = "profile_versions"

    profile: Mapped[str] = mapped_column(ForeignKey("profiles.name", ondelete="CASCADE"), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    document: Mapped[str] = mapped_column(Text)  # as it was written, comments included
    digest: Mapped[str] = mapped_column(String(64), index=True)  # of the canonical text
    comment: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))
