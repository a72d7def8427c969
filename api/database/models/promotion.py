# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Promotions to production: who confirmed which plan, and who decided."""

from datetime import datetime
from typing import Any

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from api.base.identifiers import new_id
from api.base.times import now
from api.database.base import PATH_FREE, Base


class Promotion(Base):
    __tablename__ = "promotions"

    id: Mapped[str] = mapped_column(String(32), primary_key=True, default=new_id)
    fabric: Mapped[str] = mapped_column(String(64), index=True)
    profile: Mapped[str] = mapped_column(String(64))
    version: Mapped[int]
    document: Mapped[str] = mapped_column(Text)  # what was confirmed, whatever becomes of the profile
    plan_digest: Mapped[str] = mapped_column(String(64))
    plan: Mapped[dict[str, Any]]  # as it was shown
    comment: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(String(16))  # see api.states.promotions
    created_at: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))
    created_by_id: Mapped[str] = mapped_column(String(32))
    behind: Mapped[dict[str, Any] | None]  # names by id: who could have asked for it, as of then (api.services.ownership)
    behind_givers: Mapped[dict[str, Any] | None]  # the same of who could have used the links to those accounts
    decided_at: Mapped[datetime | None]
    decided_by: Mapped[str | None] = mapped_column(String(64))
    decision_comment: Mapped[str] = mapped_column(Text, default="")
    job: Mapped[str | None] = mapped_column(String(32), index=True)
    problem: Mapped[str | None] = mapped_column(Text, info=PATH_FREE)
