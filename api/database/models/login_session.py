# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sessions of browsers. The cookie's secret is not stored, only its digest."""

from datetime import datetime

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from api.base.times import now
from api.database.base import Base
from api.database.models.user import User


class LoginSession(Base):
    __tablename__ = "login_sessions"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime] = mapped_column(default=now)
    used_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime] = mapped_column(index=True)

    user: Mapped[User] = relationship(lazy="joined")
